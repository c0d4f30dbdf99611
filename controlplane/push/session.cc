#include "controlplane/push/session.h"

#include <grpcpp/create_channel_posix.h>

#include <algorithm>
#include <utility>

#include "controlplane/push/bounds.h"
#include "proto/common/error_text.h"
#include "proto/common/unix_socket.h"
#include "proto/wire/bounds.h"
#include "proto/wire/names.h"
#include "proto/wire/status.h"

namespace sluice::push {

Session::Session(Owner owner, Up up, Ended ended)
    : owner_(std::move(owner)), up_(std::move(up)), ended_(std::move(ended)) {}

void Session::start() {
  if (const auto reason = connect()) {
    end(*reason);
    return;
  }
  say_hello();
}

/// What is wrong, if anything.
std::optional<std::string> Session::connect() {
  auto socket = connect_unix(owner_.options.socket_path);
  if (!socket) return owner_.options.socket_path + ": " + describe(socket.error());
  const auto peer = peer_credentials(socket->get());
  if (!peer) return owner_.options.socket_path + ": " + describe(peer.error());
  const auto& trusted = owner_.options.trusted;
  if (std::ranges::find(trusted, peer->uid) == trusted.end())
    return owner_.options.socket_path + ": belongs to user " + std::to_string(peer->uid) +
           ", which is not the data plane's";
  auto channel = grpc::CreateInsecureChannelFromFd("dataplane", socket->release());
  stub_ = v1::DataPlane::NewStub(channel);
  return std::nullopt;
}

void Session::end(const std::string& reason) {
  if (std::exchange(ended_now_, true)) return;
  for (const auto& weak : calls_)
    if (const auto call = weak.lock()) call->cancel();
  auto waiting = std::exchange(waiting_, {});
  auto in_flight = std::exchange(in_flight_, {});
  for (const Done<bool>& done : in_flight) done(false);
  for (const PendingBind& pending : waiting) pending.done(false);
  ended_(reason);
}

void Session::track(const std::shared_ptr<rpc::ClientCall>& call) {
  std::erase_if(calls_, [](const auto& weak) { return weak.expired(); });
  calls_.push_back(call);
}

void Session::say_hello() {
  auto call = std::make_shared<rpc::ClientUnary<v1::HelloReply>>();
  call->set_deadline(kHelloTimeout);
  track(call);
  v1::HelloRequest request;
  request.set_version(contract::kVersion);
  request.set_program(owner_.options.program);
  call->reader = stub_->AsyncHello(&call->context, request, completions());
  call->finish([self = shared_from_this(), weak = std::weak_ptr(call)] {
    const auto done = weak.lock();
    if (self->ended_now_) return;
    if (!done->status.ok()) return self->end("Hello: " + done->status.error_message());
    auto hello = wire::decode(done->reply);
    if (!hello) return self->end("Hello: " + hello.error().to_string());
    if (hello->version < contract::kOldestVersion || hello->oldest_version > contract::kVersion)
      return self->end("Hello: the data plane speaks contract version " +
                       std::to_string(hello->version) + ", which is not known here");
    self->hello_ = std::move(*hello);
    self->number_ = self->hello_.last_binding;
    self->start_names();
  });
}

void Session::start_names() {
  names_ = std::make_shared<Names>();
  track(names_);
  names_->stream = stub_->PrepareAsyncServeNames(&names_->context, completions());
  last_heard_ = monotonic_now();
  names_->start([self = shared_from_this()](bool ok) {
    if (self->ended_now_) return;
    if (!ok) return self->end("ServeNames: the data plane is gone");
    self->read_names();
    self->beat();
    self->start_bindings();
  });
}

void Session::read_names() {
  names_->read([self = shared_from_this()](bool ok) {
    if (self->ended_now_) return;
    if (!ok) return self->end("ServeNames: the stream ended");
    self->last_heard_ = monotonic_now();
    const auto queries = wire::decode(self->names_->part);
    if (!queries) return self->end("ServeNames: " + queries.error().to_string());
    for (const contract::NameQuery& query : *queries) {
      self->owner_.events->resolve(query,
                                   [weak = self->weak_from_this(), queue = self->owner_.queue,
                                    id = query.id](contract::NameAnswer reply) {
                                     reply.id = id;
                                     queue->post([weak, reply = std::move(reply)] {
                                       if (const auto alive = weak.lock()) alive->answer(reply);
                                     });
                                   });
    }
    self->read_names();
  });
}

void Session::answer(contract::NameAnswer answer) {
  if (ended_now_) return;
  answers_.push_back(std::move(answer));
  pump_names();
}

/// Also the watch over the other side: it echoes every beat.
void Session::beat() {
  if (ended_now_) return;
  if (monotonic_now() >= last_heard_ + kDead) return end("the data plane does not answer");
  if (owner_.events->healthy()) {
    beat_due_ = true;
    pump_names();
  }
  owner_.queue->after(kHeartbeat, [weak = weak_from_this()] {
    if (const auto alive = weak.lock()) alive->beat();
  });
}

void Session::pump_names() {
  if (ended_now_ || names_->writing() || (answers_.empty() && !beat_due_)) return;
  v1::NamesUp message;
  if (std::exchange(beat_due_, false)) message.set_heartbeat(++beat_);
  const std::size_t count = std::min(answers_.size(), wire::kMaxAnswers);
  for (std::size_t i = 0; i < count; ++i) wire::encode(answers_[i], message.add_answers());
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(count));
  names_->write(message, [self = shared_from_this()](bool ok) {
    if (ok) self->pump_names();
  });
}

void Session::start_counters() {
  counters_ = std::make_shared<Counters>();
  track(counters_);
  counters_->stream = stub_->PrepareAsyncReadCounters(&counters_->context, completions());
  counters_->start([self = shared_from_this()](bool ok) {
    if (!ok || self->ended_now_) return;
    self->owner_.events->counter_cursor(
        [weak = self->weak_from_this(), queue = self->owner_.queue](contract::CounterCursor at) {
          queue->post([weak, at] {
            if (const auto alive = weak.lock()) {
              alive->send_cursor(at);
              alive->read_counters();
            }
          });
        });
  });
}

void Session::send_cursor(contract::CounterCursor cursor) {
  cursor_ = cursor;
  cursor_due_ = true;
  pump_cursor();
}

void Session::pump_cursor() {
  if (ended_now_ || counters_->writing() || !std::exchange(cursor_due_, false)) return;
  v1::CounterCursor message;
  wire::encode(cursor_, &message);
  counters_->write(message, [self = shared_from_this()](bool ok) {
    if (ok) self->pump_cursor();
  });
}

void Session::read_counters() {
  if (ended_now_) return;
  counters_->read([self = shared_from_this()](bool ok) {
    if (self->ended_now_) return;
    if (!ok) return self->end("ReadCounters: the stream ended");
    auto batch = wire::decode(self->counters_->part);
    if (!batch) return self->end("ReadCounters: " + batch.error().to_string());
    self->commit(std::make_shared<const contract::CounterBatch>(std::move(*batch)));
  });
}

/// Until it is stored: a full disk must not cost the connection, and with it names and capture. The
/// data plane keeps what is not acknowledged.
void Session::commit(const std::shared_ptr<const contract::CounterBatch>& batch) {
  if (ended_now_) return;
  owner_.events->commit(*batch,
                        [weak = weak_from_this(), queue = owner_.queue, batch](bool committed) {
                          queue->post([weak, queue, batch, committed] {
                            const auto alive = weak.lock();
                            if (!alive || alive->ended_now_) return;
                            if (!committed) {
                              queue->after(kCommitPause, [weak, batch] {
                                if (const auto later = weak.lock()) later->commit(batch);
                              });
                              return;
                            }
                            alive->send_cursor({batch->epoch, batch->sequence});
                            alive->read_counters();
                          });
                        });
}

}  // namespace sluice::push
