// read/fields.h - typed reading of one map: each call takes one key, checks it, and leaves the
// default alone when the key is absent, null or wrong (which is reported).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/model/read/report.h"
#include "controlplane/model/tree.h"
#include "proto/common/address.h"
#include "proto/common/clock.h"

namespace sluice::model {

/// A node and where it stands. Borrowed from the Document.
struct Value {
  const Node* node = nullptr;
  std::string path;
  [[nodiscard]] Place place() const { return {node->position(), path}; }
  [[nodiscard]] std::string_view text() const noexcept { return node->text; }
};

class Fields {
 public:
  /// `map` must be a mapping and outlive this.
  Fields(const Node& map, std::string path, Report& report)
      : map_(map), path_(std::move(path)), report_(report) {}

  /// Errors will begin with this name: a node or group is easier to find by it than by its number.
  void name_owner(std::string_view name) { owner_ = name; }
  void error(const Place& place, std::string_view problem, std::string_view remedy) const;
  void warning(const Place& place, std::string_view problem, std::string_view remedy) const;

  [[nodiscard]] Report& report() const noexcept { return report_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const Node& node() const noexcept { return map_; }
  [[nodiscard]] Place place() const { return {map_.position(), path_}; }
  /// The place of a key that may be missing: of the value, else of the map.
  [[nodiscard]] Place place(std::string_view key) const;

  /// Present and not null.
  [[nodiscard]] bool has(std::string_view key) const noexcept { return raw(key) != nullptr; }
  [[nodiscard]] std::optional<Value> value(std::string_view key) const;
  /// One text, not a list or map; wrong shapes are reported.
  [[nodiscard]] std::optional<Value> scalar(std::string_view key) const;
  /// The map below `key`; wrong shapes are reported.
  [[nodiscard]] std::optional<Fields> map(std::string_view key) const;
  /// Texts of a list; a single text counts as a list of one.
  [[nodiscard]] std::vector<Value> texts(std::string_view key) const;
  /// Maps of a list, with their paths.
  [[nodiscard]] std::vector<Fields> maps(std::string_view key) const;

  void flag(std::string_view key, bool& out) const;
  void text(std::string_view key, std::string& out) const;
  template <std::unsigned_integral T>
  void number(std::string_view key, T& out, std::uint64_t least = 0,
              std::uint64_t most = std::numeric_limits<T>::max()) const {
    if (const auto n = whole(key, least, most)) out = static_cast<T>(*n);
  }
  void span(std::string_view key, Millis& out, Millis least, Millis most) const;
  void size(std::string_view key, std::uint64_t& out, std::uint64_t least) const;
  void prefixes(std::string_view key, std::vector<Prefix>& out) const;
  /// A device name: 1..15 bytes without blanks and slashes, as Linux has them.
  void device(std::string_view key, std::string& out) const;
  template <class E, std::size_t N>
  void choice(std::string_view key, const std::pair<std::string_view, E> (&rows)[N], E& out) const {
    std::vector<std::string_view> names;
    for (const auto& row : rows) names.push_back(row.first);
    if (const auto i = which(key, names)) out = rows[*i].second;
  }

 private:
  [[nodiscard]] const Node* raw(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t least,
                                                   std::uint64_t most) const;
  [[nodiscard]] std::optional<std::size_t> which(std::string_view key,
                                                 std::span<const std::string_view> names) const;

  const Node& map_;
  std::string path_;
  std::string owner_;
  Report& report_;
};

/// Linux IFNAMSIZ - 1 bytes, no blank, no slash, not "." or "..".
[[nodiscard]] bool is_device_name(std::string_view text) noexcept;
/// "a list" / "a map" / "text": what a node is, for messages.
[[nodiscard]] std::string_view shape_of(const Node& node) noexcept;

}  // namespace sluice::model
