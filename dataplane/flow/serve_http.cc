#include "dataplane/flow/serve_http.h"

#include <memory>
#include <string>
#include <utility>

#include "dataplane/flow/close_cause.h"
#include "dataplane/flow/first_bytes.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/open_flow.h"
#include "dataplane/flow/serve_asked.h"
#include "dataplane/protocol/http/server.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/contract/rule_type.h"

namespace sluice::flow {
namespace {

/// 0 before the first snapshot. Does not keep it: what follows may wait for long.
std::uint64_t current_generation(Engine& engine) noexcept {
  const PinnedSnapshot snapshot = engine.pin();
  return snapshot ? snapshot->generation() : 0;
}

/// One origin connection of a plain HTTP client: a flow like any other.
class Origin final : public http::HttpUpstream {
 public:
  Origin(Engine& engine, std::unique_ptr<Flow> flow, outbound::Stream stream,
         std::uint64_t generation) noexcept
      : engine_(engine),
        flow_(std::move(flow)),
        stream_(std::move(stream)),
        towards_(*flow_, *stream_.end),
        generation_(generation) {}

  transport::End& end() noexcept override { return *stream_.end; }
  void account(std::uint64_t up, std::uint64_t down) noexcept override {
    flow_->meter.upload += up;
    flow_->meter.download += down;
  }
  bool reusable() const noexcept override {
    return !flow_->scope.cancelled() && current_generation(engine_) == generation_;
  }
  void set_sink(WatchSink* sink) noexcept override {
    stream_.end->set_sink(sink);
    flow_->set_cancel_sink(sink);
  }
  Until bound(Until until) noexcept override { return {until.deadline, flow_->scope}; }
  void finish(Error reason) noexcept override {
    if (reason.code == Errc::none) {
      flow_->close_because({contract::CloseReason::upstream_closed, "ended"});
      return;
    }
    close_by(*flow_, reason);
  }

 private:
  Engine& engine_;
  std::unique_ptr<Flow> flow_;
  outbound::Stream stream_;
  Towards towards_;
  std::uint64_t generation_;  ///< of the decision: new rules decide the next request anew
};

/// "rule 3 (DOMAIN-SUFFIX,ads.test) sends it to REJECT"
std::string denial_of(const contract::FlowInfo& info) {
  if (info.chains.empty()) return {};
  std::string out = "no rule";
  if (info.rule_index >= 0) {
    out = info.rule_list.empty() ? "rule " : "sub-rule " + info.rule_list + ", line ";
    out += std::to_string(info.rule_index) + " (" + std::string(contract::written_type(info.rule));
    if (!info.rule_payload.empty()) out += "," + info.rule_payload;
    out += ")";
  }
  return out + " sends it to " + info.chains.back();
}

/// What a client is told beyond the code: what failed; and which rule or proxy, if it logged in or
/// runs here. Names of the configuration are not for whoever finds an open port.
std::string detail_of(const Flow& flow, const Error& error) {
  if (error.code == Errc::none) return {};
  const bool trusted = !flow.info.user.empty() || flow.info.source.ip.is_loopback();
  if (trusted && error.code == Errc::not_built) return flow.info.close_reason;
  if (trusted && error.code == Errc::denied) {
    if (std::string denial = denial_of(flow.info); !denial.empty()) return denial;
  }
  return describe(error);
}

class Dialer final : public http::HttpDialer {
 public:
  Dialer(Engine& engine, Request base) : engine_(engine), base_(std::move(base)) {}

  Task<Result<std::unique_ptr<http::HttpUpstream>>> dial(Destination to, std::string user,
                                                         Until) override {
    Request request = base_;
    request.destination = std::move(to);
    request.user = std::move(user);
    const std::uint64_t generation = current_generation(engine_);
    refusal_.clear();
    auto flow = std::make_unique<Flow>(engine_.flows(), request);
    KnownStart start({contract::Protocol::http, {}});  // it has been read
    Result<outbound::Stream> stream = co_await open_flow(engine_, request, *flow, &start);
    if (!stream) {
      refusal_ = detail_of(*flow, stream.error());
      co_return fail(stream.error());
    }
    co_return std::make_unique<Origin>(engine_, std::move(flow), std::move(*stream), generation);
  }
  std::string_view refusal() const noexcept override { return refusal_; }

 private:
  Engine& engine_;
  Request base_;
  std::string refusal_;
};

class TunnelReplier final : public Replier {
 public:
  explicit TunnelReplier(std::uint8_t minor) noexcept : minor_(minor) {}
  Task<Status> reply(transport::End& client, const Flow& flow, Error outcome, Until by) override {
    const std::string detail = detail_of(flow, outcome);
    const Status sent = co_await http::reply_connect(client, minor_, outcome, detail, by);
    co_return sent;
  }

 private:
  std::uint8_t minor_;
};

/// Sends what is queued and says goodbye; a client that does not take it is dropped.
Task<void> close_client(Engine& engine, transport::End& client) {
  const Moment until = engine.worker().after(kReplyTimeout);
  while (client.queued() != 0) {
    const Status ready = co_await client.wait_writable(until);
    if (!ready || !client.flush()) co_return;
  }
  (void)client.finish();
}

}  // namespace

Task<Step> serve_http_client(Engine& engine, std::unique_ptr<transport::End> client, SliceQueue in,
                             Request request, std::vector<contract::User> users) {
  request.inbound_type = contract::InboundType::http;
  Dialer dialer(engine, request);
  const http::ServerOptions options{Credentials(users)};
  Result<http::HttpOutcome> served =
      co_await http::serve_http(*client, in, options, dialer, Moment::never());
  if (!served)
    SLUICE_LOG(debug, "http", "client=%s: %s", request.source.to_string().c_str(),
               describe(served.error()).c_str());
  Step step;
  if (!served || !served->tunnel) {
    co_await close_client(engine, *client);
    co_return std::move(step);
  }
  request.inbound_type = contract::InboundType::https;
  request.destination = std::move(served->to);
  request.user = std::move(served->user);
  step.next = serve_asked(engine, std::move(client), std::move(in), std::move(request),
                          std::make_unique<TunnelReplier>(served->minor));
  co_return std::move(step);
}

}  // namespace sluice::flow
