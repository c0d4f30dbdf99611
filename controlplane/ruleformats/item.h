// ruleformats/item.h - one entry of a rule provider, as text, yaml and inline payloads write it.
//
//   domain      name | +.name (and all below) | .name (only below); a label may be `*`
//   ipcidr      10.0.0.0/8 | 2001:db8::/32 | a bare address
//   classical   TYPE,payload[,option]; any type but MATCH, RULE-SET and SUB-RULE
#pragma once

#include <string_view>

#include "controlplane/ruleformats/feed.h"

namespace sluice::ruleformats {

/// Checks one entry and hands it on, or a fault. Blanks around it do not matter.
void feed_item(Behavior behavior, std::string_view text, const Place& place, Feed& feed);

}  // namespace sluice::ruleformats
