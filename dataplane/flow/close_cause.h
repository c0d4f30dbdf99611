// flow/close_cause.h - why a flow ended, out of the error or the end that ended it.
#pragma once

#include "dataplane/flow/flow.h"
#include "dataplane/flow/relay.h"

namespace sluice::flow {

/// It was open, or being decided.
void close_by(Flow& flow, const Error& error);
/// No upstream came of it.
void close_unconnected(Flow& flow, const Error& error);
/// The client could not be told what came of it.
void close_untold(Flow& flow, Error error);
void close_relayed(Flow& flow, const Relay& relay, const Status& outcome);

}  // namespace sluice::flow
