#include "dataplane/flow/serve_asked.h"

#include <utility>

#include "dataplane/flow/close_cause.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/open_flow.h"
#include "dataplane/flow/stream_start.h"

namespace sluice::flow {
namespace {

class AskedWelcome final : public Welcome {
 public:
  AskedWelcome(Engine& engine, transport::End& client, Flow& flow, Replier& replier) noexcept
      : engine_(engine), client_(client), flow_(flow), replier_(replier) {}

  Task<Status> send() override { return reply(Error{}); }
  Task<Status> reply(Error outcome) {
    const Until by(engine_.worker().after(kReplyTimeout), flow_.scope);
    return replier_.reply(client_, flow_, outcome, by);
  }

 private:
  Engine& engine_;
  transport::End& client_;
  Flow& flow_;
  Replier& replier_;
};

}  // namespace

Task<Step> serve_asked(Engine& engine, std::unique_ptr<transport::End> client, SliceQueue in,
                       Request request, std::unique_ptr<Replier> replier) {
  auto flow = std::make_unique<Flow>(engine.flows(), request);
  AskedWelcome welcome(engine, *client, *flow, *replier);
  StreamStart start(engine, *client, std::move(in), request.destination, &welcome);
  Result<outbound::Stream> upstream = co_await open_flow(engine, request, *flow, &start);
  Step step;
  if (!start.welcomed()) {
    const Error outcome = upstream ? Error{} : upstream.error();
    const Status sent = co_await welcome.reply(outcome);
    if (!sent) close_untold(*flow, sent.error());
    if (!upstream || !sent) co_return std::move(step);
  }
  if (!upstream) {
    client->abort();  // it was told that it is connected
    co_return std::move(step);
  }
  start.give_back();
  step.next = run_relay(engine, std::move(client), std::move(*upstream), std::move(flow));
  co_return std::move(step);
}

}  // namespace sluice::flow
