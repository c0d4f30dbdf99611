// flow/refusal.h - why a decided flow is not let out, in words.
#pragma once

#include <string>

#include "dataplane/flow/decide.h"

namespace sluice::flow {

/// The reason for records and clients; empty when the route may be dialled. A proxy whose type is
/// not built in is also told to the log.
[[nodiscard]] std::string refusal_of(Engine& engine, const Decision& decision);

}  // namespace sluice::flow
