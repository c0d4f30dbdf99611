// ruleformats/headless_emit.h - hands the rules of a sing-box file on: as entries where they are
// nothing but names and prefixes, as classical rules where they have conditions.
//
// A filter list that sing-box converted is one rule of the form
//   and(not A, or(B, and(not C, D)))         A excepted firmly, B listed firmly, C excepted, D
//   listed
// and its names are handed on with these weights. A rule with an item that has no counterpart here
// is a fault as a whole: without it, it would match more than it should.
#pragma once

#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleformats/headless_rule.h"

namespace sluice::ruleformats {

/// The `entry` of every place is the number of the rule in the file.
void emit_headless(const std::vector<HeadlessRule>& rules, const HeadlessSource& source,
                   const Bounds& bounds, Feed& feed);

}  // namespace sluice::ruleformats
