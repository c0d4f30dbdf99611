// wire/scope.h - a place inside a message that is being decoded, and the checks made there.
//
//   Finding found;                          the first thing that was wrong
//   const Scope root(found);
//   const Scope item(root, "outbounds", 3); a view up the call stack; nothing is allocated
//   out.name = item.text(in.name(), "name", kMaxLabel);
//   return found.take(std::move(out));      -> "outbounds[3].name: is longer than 1024 bytes"
//
// Sticky: after the first refusal the rest is still walked but changes nothing, so decoders have no
// ladder of checks. The path becomes text only when something is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proto/common/address.h"
#include "proto/common/name.h"
#include "proto/contract/version.h"
#include "proto/wire/refusal.h"

namespace sluice::wire {

struct Finding {
  std::optional<Refusal> first;

  template <class T>
  [[nodiscard]] Decoded<T> take(T&& value) {
    if (first) return std::unexpected<Refusal>(std::move(*first));
    return std::forward<T>(value);
  }
};

class Scope {
 public:
  explicit Scope(Finding& found) noexcept : found_(&found) {}
  /// `parent` and `field` outlive this scope.
  Scope(const Scope& parent, const char* field) noexcept
      : found_(parent.found_), parent_(&parent), field_(field) {}
  Scope(const Scope& parent, const char* field, std::size_t index) noexcept : Scope(parent, field) {
    index_ = static_cast<std::int64_t>(index);
  }

  [[nodiscard]] bool refused() const noexcept { return found_->first.has_value(); }
  /// Keeps the first one only. `field` may be empty: this place itself.
  void refuse(const char* field, std::string_view reason) const;
  void refuse(const char* field, std::size_t index, std::string_view reason) const;

  /// At most `max` bytes, no NUL.
  [[nodiscard]] std::string text(const std::string& in, const char* field, std::size_t max) const;
  /// The same, and not empty.
  [[nodiscard]] std::string label(const std::string& in, const char* field, std::size_t max) const;
  /// A network device's name, or empty: 1..15 bytes, no '/', blank or control byte.
  [[nodiscard]] std::string device(const std::string& in, const char* field) const;
  /// A name in normal form, or empty.
  [[nodiscard]] std::string name(const std::string& in, const char* field) const;
  /// 0..65535.
  [[nodiscard]] std::uint16_t port(std::uint32_t in, const char* field) const;
  /// 0..max.
  [[nodiscard]] std::uint32_t number(std::uint32_t in, const char* field, std::uint32_t max) const;
  /// Exactly 4 or 16 bytes, not IPv4-mapped.
  [[nodiscard]] IpAddress address(const std::string& in, const char* field) const;
  /// The same, or empty: invalid address.
  [[nodiscard]] IpAddress maybe_address(const std::string& in, const char* field) const;
  /// One item of a repeated field.
  [[nodiscard]] IpAddress address_item(const std::string& in, const char* field,
                                       std::size_t index) const;
  [[nodiscard]] Prefix prefix(const std::string& base, std::uint32_t length) const;
  /// Exactly 32 bytes.
  [[nodiscard]] contract::Digest digest(const std::string& in, const char* field) const;
  /// False (and refused) when there are more than `max` items: then do not walk them.
  [[nodiscard]] bool fits(std::size_t count, const char* field, std::size_t max) const;

 private:
  void append(std::string& out) const;

  Finding* found_;
  const Scope* parent_ = nullptr;
  const char* field_ = "";
  std::int64_t index_ = -1;
};

}  // namespace sluice::wire
