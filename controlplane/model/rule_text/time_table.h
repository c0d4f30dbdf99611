// rule_text/time_table.h - the payload of TIME.
//
//   mon-fri 08:00-18:00
//   mon+wed+sat-sun 22:00-06:00/daily 12:00-13:00 Europe/Berlin
//   |--- days ----| |- hours -| |- another ----| |- zone, once -|
#pragma once

#include <expected>
#include <string_view>

#include "controlplane/model/condition.h"
#include "controlplane/model/rule_text/outcome.h"

namespace sluice::model::rule_text {

[[nodiscard]] std::expected<TimeTable, PayloadFault> parse_time_table(std::string_view text);

}  // namespace sluice::model::rule_text
