// model/bounds.h - bounds on what rules may ask for, each with its source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/ruleset/bounds.h"

namespace sluice::model {

/// Longest text of one rule: what a rule file's reader makes of one entry (ruleformats/bounds.h).
inline constexpr std::size_t kMaxRuleText = std::size_t{1} << 20U;
/// AND, OR and NOT inside each other. Lists of the field nest three deep; the compiled form holds
/// twice this, so that a condition still fits under the guards of its sub-rule lists.
inline constexpr unsigned kMaxLogicDepth = 16;
/// Atoms of one rule: with a NOT each and what joins them they fit one program of the compiled
/// form.
inline constexpr std::size_t kMaxAtoms = std::size_t{1} << 14U;
/// Ranges in one payload, as many as other programs take.
inline constexpr std::size_t kMaxItems = 28;
/// Names or hardware addresses in one payload, where other programs have no bound: whoever lists
/// all users of a server has some hundred.
inline constexpr std::size_t kMaxNames = 4096;
/// Options behind one condition or line. There are two.
inline constexpr std::size_t kMaxOptions = 8;
/// Notes on one rule; they are warnings, and what follows them is of the same kind.
inline constexpr std::size_t kMaxNotes = 8;
/// Longest wildcard, process name or path, and longest regex: the compiled form's.
inline constexpr std::size_t kMaxText = ruleset::kMaxText_bytes;
inline constexpr std::size_t kMaxPattern = ruleset::kMaxPattern_bytes;
/// Attributes behind one GEOSITE category (ruleformats/geo_dat.h).
inline constexpr std::size_t kMaxGeoAttributes = 32;

/// Sub-rule lists inside each other.
inline constexpr unsigned kMaxSubRuleDepth = 16;
/// Lines that the main list becomes once each SUB-RULE stands for the lines of its list.
inline constexpr std::uint64_t kMaxExpandedLines = 1'000'000;

/// Mirrors of one rule provider or geo file.
inline constexpr std::size_t kMaxMirrors = 16;

}  // namespace sluice::model
