// keys/rule_types.h - the first field of a rule: every type there is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "controlplane/model/condition.h"

namespace sluice::model::keys {

enum class RuleForm : std::uint8_t { atom, all, any, negation, sub_rule, always };

struct RuleType {
  std::string_view name;  ///< "DOMAIN-SUFFIX"
  RuleForm form = RuleForm::atom;
  AtomKind kind = AtomKind::domain;  ///< form atom
  bool source = false;               ///< SRC-...: the source's address
};

[[nodiscard]] std::span<const RuleType> rule_types() noexcept;
/// Without regard to case; nullptr: nobody knows such a type.
[[nodiscard]] const RuleType* find_rule_type(std::string_view name) noexcept;
/// The first name of an atom: "IP-CIDR" for both families.
[[nodiscard]] std::string_view name_of(AtomKind kind, bool source) noexcept;

}  // namespace sluice::model::keys
