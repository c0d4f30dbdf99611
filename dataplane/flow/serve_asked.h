// flow/serve_asked.h - a client that asked for a destination and waits to hear whether it has it.
//
//   decide, connect ─> reply ─> relay          its first bytes do not matter
//   reply ─> first bytes ─> decide, connect    they do: a refusal can then only end the connection
#pragma once

#include <memory>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/flow.h"
#include "dataplane/flow/step.h"
#include "dataplane/transport/end.h"

namespace sluice::flow {

/// The reply, in the words of the client's protocol. Owner: the step that serves the client.
class Replier : public frame_pool::Pooled {
 public:
  Replier() noexcept = default;
  Replier(const Replier&) = delete;
  Replier& operator=(const Replier&) = delete;
  virtual ~Replier() = default;
  /// `outcome`: Errc::none when it is connected; else why not, and `flow` knows which rule.
  /// Errors: as transport::send.
  virtual Task<Status> reply(transport::End& client, const Flow& flow, Error outcome, Until by) = 0;
};

/// Serves `request`. `in`: what the client has sent behind it.
Task<Step> serve_asked(Engine& engine, std::unique_ptr<transport::End> client, SliceQueue in,
                       Request request, std::unique_ptr<Replier> replier);

}  // namespace sluice::flow
