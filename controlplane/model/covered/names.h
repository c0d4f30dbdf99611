// covered/names.h - names below an earlier suffix, and names that stand twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace sluice::model::covered {

/// Lines are added in their order. Texts are borrowed. A look-up walks the labels of the name.
class Names {
 public:
  void add_exact(std::string_view name, std::uint32_t line) { exact_.try_emplace(name, line); }
  void add_suffix(std::string_view name, std::uint32_t line) { suffix_.try_emplace(name, line); }

  /// A line that takes the name and, with `all_below`, everything below it.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name, bool all_below) const {
    if (!all_below)
      if (const auto it = exact_.find(name); it != exact_.end()) return it->second;
    while (true) {
      if (const auto it = suffix_.find(name); it != suffix_.end()) return it->second;
      const std::size_t dot = name.find('.');
      if (dot == std::string_view::npos) return std::nullopt;
      name.remove_prefix(dot + 1);
    }
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> exact_;
  std::unordered_map<std::string_view, std::uint32_t> suffix_;
};

}  // namespace sluice::model::covered
