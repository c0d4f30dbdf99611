#include "controlplane/push/thread.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controlplane/push/bounds.h"
#include "controlplane/push/gather.h"
#include "proto/common/log.h"
#include "proto/wire/flows.h"
#include "proto/wire/manifest.h"
#include "proto/wire/rules.h"

namespace sluice::push {
namespace {

constexpr const char* kGivenUp =
    "the data plane went away each time it was sent; see its log, and take back what changed last";
constexpr const char* kLost = "the data plane went away before it answered; try again";

}  // namespace

DataPlaneClient::Thread::Thread(Options options, Events& events)
    : queue_(std::make_shared<rpc::Queue>(std::make_unique<grpc::CompletionQueue>())),
      options_(std::move(options)),
      events_(&events),
      backoff_(kBackoffLeast) {
  queue_->post([this] { connect(); });
  thread_ = std::thread([this] { queue_->run(); });
}

DataPlaneClient::Thread::~Thread() {
  queue_->post([this] { stop(); });
  thread_.join();
}

void DataPlaneClient::Thread::stop() {
  stopping_ = true;
  if (const auto last = session_) last->end("the control plane stops");
  auto applies = std::exchange(applies_, {});
  for (const WaitingApply& waiting : applies) waiting.done({{.reason = "the control plane stops"}});
  for (auto& [id, stream] : streams_)
    if (const auto call = stream.call.lock()) call->cancel();
  streams_.clear();
  finish_calls(monotonic_now() + kStopGrace);
}

void DataPlaneClient::Thread::finish_calls(Moment deadline) {
  std::erase_if(ending_, [](const auto& call) { return call.expired(); });
  if (ending_.empty() || monotonic_now() >= deadline) return queue_->shut_down();
  queue_->after(kStopStep, [this, deadline] { finish_calls(deadline); });
}

void DataPlaneClient::Thread::connect() {
  if (stopping_) return;
  Session::Owner owner{queue_, options_, events_, nullptr, wanted().blobs};
  carried_ = wanted().manifest;
  if (carried_) owner.manifest = std::make_shared<contract::Manifest>(with_choices(wanted()));
  session_ = std::make_shared<Session>(
      std::move(owner),
      [this](const contract::HelloReply& hello, const contract::Verdict& verdict) {
        on_up(hello, verdict);
      },
      [this](const std::string& reason) { on_end(reason); });
  const auto starting = session_;
  starting->start();
}

contract::Manifest DataPlaneClient::Thread::with_choices(const Held& held) const {
  contract::Manifest out = *held.manifest;
  apply_choices(out, choices_);
  return out;
}

/// A candidate that was judged is one no more.
void DataPlaneClient::Thread::note_verdict(const contract::Verdict& verdict) {
  if (!carried_ || carried_ != candidate_.manifest) return;
  if (verdict.accepted)
    accepted_ = std::move(candidate_);
  else
    turned_down_ = verdict;
  candidate_ = {};
}

void DataPlaneClient::Thread::note_lost_verdict() {
  // What was accepted before is sent again: it ran.
  if (carried_ != candidate_.manifest) return;
  if (accepted_.manifest) return note_verdict({.reason = kLost});
  // So is the first of all, as long as nothing else could run.
  if (options_.give_up_first && ++candidate_.lost >= kFirstTries)
    note_verdict({.reason = kGivenUp, .place = "configuration"});
}

void DataPlaneClient::Thread::on_up(const contract::HelloReply& hello,
                                    const contract::Verdict& verdict) {
  note_verdict(verdict);
  if (wanted().manifest && wanted().manifest != carried_) {
    // Kept while this session was on its way, or the one before a candidate that was turned down:
    // it is not up to date before it has this one.
    carried_ = wanted().manifest;
    session_->apply(
        with_choices(wanted()), wanted().blobs,
        [this, hello, session = std::weak_ptr(session_)](const contract::Verdict& later) {
          const auto alive = session.lock();
          if (alive && alive == session_ && !alive->ended()) on_up(hello, later);
        });
    return;
  }
  up_ = true;
  backoff_ = kBackoffLeast;
  last_reason_.clear();
  SLUICE_LOG(info, "push", "step=up program=%s generation=%llu", hello.program.c_str(),
             static_cast<unsigned long long>(verdict.generation));
  const auto turned_down = std::exchange(turned_down_, std::nullopt);
  events_->up(hello, turned_down.value_or(verdict));
  for (auto& [id, stream] : streams_) start_stream(stream);
  apply_next();
}

void DataPlaneClient::Thread::on_end(const std::string& reason) {
  std::erase_if(ending_, [](const auto& call) { return call.expired(); });
  if (session_) session_->hand_over_calls(ending_);
  if (session_ && session_->has_applied() && !up_) note_lost_verdict();
  session_ = nullptr;
  // Said once per cause, not once per attempt.
  if (reason != last_reason_ && !stopping_) {
    SLUICE_LOG(warning, "push", "step=down %s", reason.c_str());
    last_reason_ = reason;
  }
  if (std::exchange(up_, false)) events_->down(reason);
  if (const auto lost = std::exchange(under_way_, std::nullopt)) lost->done({{.reason = kLost}});
  if (stopping_) return;
  queue_->after(backoff_, [this] { connect(); });
  backoff_ = std::min(backoff_ * 2, kBackoffMost);
}

void DataPlaneClient::Thread::apply(std::shared_ptr<contract::Manifest> manifest,
                                    std::vector<contract::BlobPtr> blobs, Done<Applied> done) {
  if (!up_) {
    candidate_ = {std::move(manifest), std::move(blobs)};
    turned_down_.reset();
    done(
        {{.reason = "the data plane is away; the configuration is applied when it is back"}, true});
    return;
  }
  applies_.push_back({std::move(manifest), std::move(blobs), std::move(done)});
  apply_next();
}

void DataPlaneClient::Thread::apply_next() {
  if (under_way_ || !up_ || applies_.empty()) return;
  under_way_ = std::move(applies_.front());
  applies_.pop_front();
  apply_choices(*under_way_->manifest, choices_);
  const auto judged = [this, session = std::weak_ptr(session_)](const contract::Verdict& verdict) {
    // Of a session that has ended: on_end() has said so, and the data plane may have changed.
    if (session.lock() != session_ || !under_way_) return;
    const WaitingApply answered = std::move(*under_way_);
    under_way_.reset();
    if (verdict.accepted) accepted_ = {answered.manifest, answered.blobs};
    answered.done({verdict});
    apply_next();
  };
  session_->apply(*under_way_->manifest, under_way_->blobs, judged);
}

void DataPlaneClient::Thread::select(const std::vector<contract::GroupChoice>& choices,
                                     const Done<Status>& done) {
  if (!up_) {
    merge_choices(choices_, choices);
    done(fail(Errc::unreachable));
    return;
  }
  v1::SelectRequest request;
  wire::encode(choices, &request);
  auto call = std::make_shared<rpc::ClientUnary<v1::SelectReply>>();
  call->set_deadline(kCallTimeout);
  session_->track(call);
  call->reader = session_->stub().AsyncSelect(&call->context, request, session_->completions());
  call->finish([this, weak = std::weak_ptr(call), choices, done] {
    const auto finished = weak.lock();
    if (!finished->status.ok()) {
      done(fail(error_of(finished->status)));
      return;
    }
    merge_choices(choices_, choices);
    done({});
  });
}

void DataPlaneClient::Thread::bind(PendingBind change) {
  // A session that is still coming up takes it: it is then part of what all_bindings() brings.
  if (session_ && !session_->ended())
    session_->bind(std::move(change));
  else
    change.done(false);
}

void DataPlaneClient::Thread::list_flows(
    const Done<Result<std::vector<contract::FlowInfo>>>& done) {
  const auto session = this->session();
  if (!session) return done(fail(Errc::unreachable));
  auto call = std::make_shared<rpc::ClientReader<v1::FlowPage>>();
  call->set_deadline(kCallTimeout);
  session->track(call);
  call->stream = session->stub().PrepareAsyncListFlows(&call->context, v1::ListFlowsRequest{},
                                                       session->completions());
  using Flows = std::vector<contract::FlowInfo>;
  const auto add = [](const v1::FlowPage& page, Flows& sum) {
    auto flows = wire::decode(page);
    if (flows) std::ranges::move(*flows, std::back_inserter(sum));
    return flows.has_value();
  };
  gather<Flows>(call, add, &Thread::error_of, done);
}

void DataPlaneClient::Thread::read_rules(const Done<Result<contract::RuleStates>>& done) {
  const auto session = this->session();
  if (!session) return done(fail(Errc::unreachable));
  auto call = std::make_shared<rpc::ClientReader<v1::RulePage>>();
  call->set_deadline(kCallTimeout);
  session->track(call);
  call->stream = session->stub().PrepareAsyncReadRules(&call->context, v1::ReadRulesRequest{},
                                                       session->completions());
  const auto add = [](const v1::RulePage& page, contract::RuleStates& sum) {
    auto states = wire::decode(page, std::move(sum));
    if (states) sum = std::move(*states);
    return states.has_value();
  };
  gather<contract::RuleStates>(call, add, &Thread::error_of, done);
}

void DataPlaneClient::Thread::add_stream(std::uint64_t id, Open open) {
  Stream& stream = streams_[id];
  stream.open = std::move(open);
  if (up_) start_stream(stream);
}

void DataPlaneClient::Thread::start_stream(Stream& stream) {
  const auto call = stream.open(*session_);
  session_->track(call);
  stream.call = call;
}

void DataPlaneClient::Thread::end_stream(std::uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  if (const auto call = found->second.call.lock()) call->cancel();
  streams_.erase(found);
}

Error DataPlaneClient::Thread::error_of(const grpc::Status& status) noexcept {
  switch (status.error_code()) {
    case grpc::StatusCode::NOT_FOUND:
      return {Errc::not_found, Side::client};
    case grpc::StatusCode::INVALID_ARGUMENT:
      return {Errc::invalid, Side::client};
    case grpc::StatusCode::FAILED_PRECONDITION:
      return {Errc::denied, Side::upstream};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {Errc::timeout, Side::upstream};
    case grpc::StatusCode::CANCELLED:
      return {Errc::cancelled, Side::us};
    case grpc::StatusCode::UNAVAILABLE:
      return {Errc::unreachable, Side::upstream};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return {Errc::no_room, Side::upstream};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {Errc::not_built, Side::upstream};
    default:
      return {Errc::system, Side::upstream};
  }
}

}  // namespace sluice::push
