// dns/names/name_patterns.h - which pattern of a list a name meets.
//
//   exact.example      that name                 *.example     one label in front
//   +.example          it and everything below   .example      everything below
//
// A tree of labels from the right. At each node the exact label is tried before `*`, both before
// "everything below", so the most specific pattern wins whatever the order of the list; of equal
// patterns the first one counts. Immutable after the last add(). Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::dns {

class NamePatterns {
 public:
  NamePatterns() : root_(std::make_unique<Node>()) {}

  /// `pattern` in lower case. Errors: malformed (an empty label, `+` or `*` inside a label, `+`
  /// anywhere but first).
  Status add(std::string_view pattern, std::uint32_t value);
  /// The value of the pattern that `name` (normal form) meets.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const noexcept;
  [[nodiscard]] bool matches(std::string_view name) const noexcept {
    return find(name).has_value();
  }
  /// A pattern that is a name and nothing more.
  [[nodiscard]] static bool is_exact(std::string_view pattern) noexcept {
    return !pattern.starts_with('.') && pattern.find_first_of("*+") == std::string_view::npos;
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> children;  ///< "*" too
    std::optional<std::uint32_t> here;   ///< the name ends at this node
    std::optional<std::uint32_t> below;  ///< one or more labels are left
  };
  static std::optional<std::uint32_t> search(const Node& node, std::string_view rest) noexcept;

  std::unique_ptr<Node> root_;
  std::size_t count_ = 0;
};

}  // namespace sluice::dns
