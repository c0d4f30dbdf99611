// compile/outbounds.h - proxies, groups and built-ins as one list with numbers for names.
//
//   0 DIRECT  1 REJECT  2 REJECT-DROP  3 PASS  4 COMPATIBLE  5 PASS-RULE | proxies | groups |
//   GLOBAL
//
// Groups keep the order of the file; GLOBAL comes last unless the user defines a group of that
// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controlplane/model/config.h"
#include "proto/contract/manifest.h"

namespace sluice::compile {

/// What stands before the names of the file.
inline constexpr std::size_t kBuiltInCount = 6;

struct Outbounds {
  std::vector<contract::Outbound> list;
  std::unordered_map<std::string, std::uint32_t> index;  ///< by name
  std::uint32_t direct = 0;
  std::uint32_t reject = 0;
  std::uint32_t pass = 0;
  std::uint32_t global = 0;

  /// Index of a name that model checked.
  [[nodiscard]] std::uint32_t of(std::string_view name) const;
};

[[nodiscard]] Outbounds compile_outbounds(const model::Config& config);

}  // namespace sluice::compile
