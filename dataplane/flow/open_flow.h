// flow/open_flow.h - decides and connects: the middle of every TCP flow, whatever the inbound.
#pragma once

#include <memory>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/flow.h"
#include "dataplane/flow/step.h"
#include "dataplane/outbound/dial.h"
#include "dataplane/transport/end.h"

namespace sluice::flow {

/// Decides `request`, perhaps by what `first` says (nullptr: nobody knows), and dials. `flow` gets
/// its route, its remote and its state. Errors: denied (REJECT), not_built, loop, and those of
/// outbound::dial. REJECT-DROP holds the caller for kDropHold, then errors with denied.
Task<Result<outbound::Stream>> open_flow(Engine& engine, const Request& request, Flow& flow,
                                         FirstBytes* first);

/// The last step: relays between the two until the end; `flow` gets its bytes and its reason. When
/// the protocol's head rides on the first payload, the client gets a moment to send one.
Task<Step> run_relay(Engine& engine, std::unique_ptr<transport::End> client,
                     outbound::Stream upstream, std::unique_ptr<Flow> flow);

}  // namespace sluice::flow
