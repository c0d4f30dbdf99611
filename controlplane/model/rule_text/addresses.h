// rule_text/addresses.h - payloads that name addresses other than by prefix.
#pragma once

#include <string_view>

#include "controlplane/model/rule_text/outcome.h"

namespace sluice::model::rule_text {

/// "0.0.0.1/8": the last 8 bits are those of 0.0.0.1. Without a length the whole address.
[[nodiscard]] Outcome read_ip_suffix(std::string_view text);
/// "13335", "AS13335".
[[nodiscard]] Outcome read_as_number(std::string_view text);
/// "02:00:5e:10:00:01/02-00-5e-10-00-02".
[[nodiscard]] Outcome read_mac_addresses(std::string_view text);

}  // namespace sluice::model::rule_text
