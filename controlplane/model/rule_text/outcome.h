// rule_text/outcome.h - what the readers of payloads give back.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "controlplane/model/condition.h"

namespace sluice::model::rule_text {

/// What is wrong with a payload; the caller knows where it stands.
struct PayloadFault {
  std::string problem;
  std::string remedy;
};

/// std::monostate: an atom that no flow can meet.
using Outcome = std::expected<AtomPayload, PayloadFault>;

[[nodiscard]] inline std::unexpected<PayloadFault> wrong(std::string problem, std::string remedy) {
  return std::unexpected(PayloadFault{std::move(problem), std::move(remedy)});
}

}  // namespace sluice::model::rule_text
