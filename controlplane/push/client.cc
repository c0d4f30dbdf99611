#include "controlplane/push/client.h"

#include <atomic>
#include <utility>

#include "controlplane/push/bounds.h"
#include "controlplane/push/thread.h"
#include "proto/wire/enums.h"
#include "proto/wire/flows.h"
#include "proto/wire/manifest.h"
#include "proto/wire/memory.h"
#include "proto/wire/rules.h"
#include "proto/wire/status.h"

namespace sluice::push {
namespace {

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Reads a stream to its end; what cannot be decoded ends it.
template <class Message, class Next>
void follow(const std::shared_ptr<rpc::ClientReader<Message>>& call, Next next) {
  call->read([weak = std::weak_ptr(call), next](bool ok) {
    const auto alive = weak.lock();
    if (!ok) {
      alive->finish([] {});
      return;
    }
    if (const auto value = wire::decode(alive->part))
      next(*value);
    else
      alive->cancel();
    follow(alive, next);
  });
}

/// The status of a call without an answer of its own.
template <class Reply, class Value, class Convert>
void finish_unary(const std::shared_ptr<rpc::ClientUnary<Reply>>& call,
                  Error (*error_of)(const grpc::Status&) noexcept, Done<Result<Value>> done,
                  Convert convert) {
  call->finish([weak = std::weak_ptr(call), error_of, done = std::move(done), convert] {
    const auto finished = weak.lock();
    if (!finished->status.ok())
      done(fail(error_of(finished->status)));
    else
      done(convert(finished->reply));
  });
}

template <class Value>
Result<Value> or_malformed(wire::Decoded<Value> decoded) {
  if (!decoded) return fail(Errc::malformed, Side::upstream);
  return std::move(*decoded);
}

}  // namespace

DataPlaneClient::DataPlaneClient(Options options, Events& events)
    : thread_(std::make_unique<Thread>(std::move(options), events)) {}

DataPlaneClient::~DataPlaneClient() = default;

void DataPlaneClient::apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                            Done<Applied> done) {
  thread_->post(
      [thread = thread_.get(), manifest = std::make_shared<contract::Manifest>(std::move(manifest)),
       blobs = std::move(blobs), done = std::move(done)] { thread->apply(manifest, blobs, done); });
}

void DataPlaneClient::select(std::vector<contract::GroupChoice> choices, Done<Status> done) {
  thread_->post([thread = thread_.get(), choices = std::move(choices), done = std::move(done)] {
    thread->select(choices, done);
  });
}

void DataPlaneClient::bind(contract::BindingBatch change, Done<bool> done) {
  thread_->post(
      [thread = thread_.get(), change = std::move(change), done = std::move(done)]() mutable {
        thread->bind({std::move(change), std::move(done)});
      });
}

void DataPlaneClient::hello(Done<Result<contract::HelloReply>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] {
    const auto session = thread->session();
    if (!session) return done(fail(Errc::unreachable));
    auto call = std::make_shared<rpc::ClientUnary<v1::HelloReply>>();
    call->set_deadline(kHelloTimeout);
    session->track(call);
    v1::HelloRequest request;
    request.set_version(contract::kVersion);
    call->reader = session->stub().AsyncHello(&call->context, request, session->completions());
    finish_unary(call, &Thread::error_of, done,
                 [](const v1::HelloReply& reply) { return or_malformed(wire::decode(reply)); });
  });
}

void DataPlaneClient::list_flows(Done<Result<std::vector<contract::FlowInfo>>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] { thread->list_flows(done); });
}

namespace {

void close(const std::shared_ptr<Session>& session, const v1::CloseFlowsRequest& request,
           Error (*error_of)(const grpc::Status&) noexcept,
           const Done<Result<std::uint64_t>>& done) {
  if (!session) return done(fail(Errc::unreachable));
  auto call = std::make_shared<rpc::ClientUnary<v1::CloseFlowsReply>>();
  call->set_deadline(kCallTimeout);
  session->track(call);
  call->reader = session->stub().AsyncCloseFlows(&call->context, request, session->completions());
  finish_unary(call, error_of, done, [](const v1::CloseFlowsReply& reply) {
    return Result<std::uint64_t>(reply.closed());
  });
}

}  // namespace

void DataPlaneClient::close_flows(std::vector<std::uint64_t> ids,
                                  Done<Result<std::uint64_t>> done) {
  thread_->post([thread = thread_.get(), ids = std::move(ids), done = std::move(done)] {
    v1::CloseFlowsRequest request;
    request.mutable_ids()->Add(ids.begin(), ids.end());
    close(thread->session(), request, &Thread::error_of, done);
  });
}

void DataPlaneClient::open_capture(Done<Result<std::string>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] {
    const auto session = thread->session();
    if (!session) return done(fail(Errc::unreachable));
    auto call = std::make_shared<rpc::ClientUnary<v1::OpenCaptureReply>>();
    call->set_deadline(kCallTimeout);
    session->track(call);
    call->reader = session->stub().AsyncOpenCapture(&call->context, v1::OpenCaptureRequest{},
                                                    session->completions());
    finish_unary(call, &Thread::error_of, done, [](const v1::OpenCaptureReply& reply) {
      return Result<std::string>(reply.reason());
    });
  });
}

void DataPlaneClient::close_all_flows(Done<Result<std::uint64_t>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] {
    v1::CloseFlowsRequest request;
    request.set_all(true);
    close(thread->session(), request, &Thread::error_of, done);
  });
}

void DataPlaneClient::explain(contract::ExplainQuery query,
                              Done<Result<contract::Explanation>> done) {
  thread_->post([thread = thread_.get(), query = std::move(query), done = std::move(done)] {
    const auto session = thread->session();
    if (!session) return done(fail(Errc::unreachable));
    auto call = std::make_shared<rpc::ClientUnary<v1::Explanation>>();
    call->set_deadline(kExplainTimeout);
    session->track(call);
    v1::ExplainQuery request;
    wire::encode(query, &request);
    call->reader = session->stub().AsyncExplain(&call->context, request, session->completions());
    finish_unary(call, &Thread::error_of, done,
                 [](const v1::Explanation& reply) { return or_malformed(wire::decode(reply)); });
  });
}

void DataPlaneClient::read_rules(Done<Result<contract::RuleStates>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] { thread->read_rules(done); });
}

void DataPlaneClient::read_memory(Done<Result<contract::MemoryReport>> done) {
  thread_->post([thread = thread_.get(), done = std::move(done)] {
    const auto session = thread->session();
    if (!session) return done(fail(Errc::unreachable));
    auto call = std::make_shared<rpc::ClientUnary<v1::MemoryReport>>();
    call->set_deadline(kCallTimeout);
    session->track(call);
    call->reader = session->stub().AsyncReadMemory(&call->context, v1::ReadMemoryRequest{},
                                                   session->completions());
    finish_unary(call, &Thread::error_of, done,
                 [](const v1::MemoryReport& reply) { return or_malformed(wire::decode(reply)); });
  });
}

void DataPlaneClient::set_rules_disabled(contract::RuleSwitches switches,
                                         Done<Result<contract::Verdict>> done) {
  thread_->post([thread = thread_.get(), switches = std::move(switches), done = std::move(done)] {
    const auto session = thread->session();
    if (!session) return done(fail(Errc::unreachable));
    auto call = std::make_shared<rpc::ClientUnary<v1::Verdict>>();
    call->set_deadline(kCallTimeout);
    session->track(call);
    v1::SetRulesRequest request;
    wire::encode(switches, &request);
    call->reader = session->stub().AsyncSetRules(&call->context, request, session->completions());
    finish_unary(call, &Thread::error_of, done,
                 [](const v1::Verdict& reply) { return or_malformed(wire::decode(reply)); });
  });
}

Subscription DataPlaneClient::watch_flows(Millis interval, Done<const contract::FlowEvents&> next) {
  const std::uint64_t id = next_stream_id();
  thread_->post([thread = thread_.get(), id, interval, next = std::move(next)] {
    thread->add_stream(id, [interval, next](Session& session) {
      auto call = std::make_shared<rpc::ClientReader<v1::FlowEvents>>();
      v1::WatchFlowsRequest request;
      request.set_interval_ms(static_cast<std::uint32_t>(interval.count));
      call->stream =
          session.stub().PrepareAsyncWatchFlows(&call->context, request, session.completions());
      call->start([call, next](bool) { follow(call, next); });
      return call;
    });
  });
  return Subscription(
      [thread = thread_.get(), id] { thread->post([thread, id] { thread->end_stream(id); }); });
}

Subscription DataPlaneClient::watch_log(LogLevel level,
                                        Done<const std::vector<contract::LogRecord>&> next) {
  const std::uint64_t id = next_stream_id();
  thread_->post([thread = thread_.get(), id, level, next = std::move(next)] {
    thread->add_stream(id, [level, next](Session& session) {
      auto call = std::make_shared<rpc::ClientReader<v1::LogRecords>>();
      v1::WatchLogRequest request;
      request.set_level(wire::to_wire(level));
      call->stream =
          session.stub().PrepareAsyncWatchLog(&call->context, request, session.completions());
      call->start([call, next](bool) { follow(call, next); });
      return call;
    });
  });
  return Subscription(
      [thread = thread_.get(), id] { thread->post([thread, id] { thread->end_stream(id); }); });
}

}  // namespace sluice::push
