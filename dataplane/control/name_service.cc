#include "dataplane/control/name_service.h"

#include <utility>

#include "dataplane/control/bounds.h"
#include "proto/common/log.h"
#include "proto/wire/bounds.h"
#include "proto/wire/names.h"

namespace sluice::control {

void NameService::serve() {
  rpc::serve(room_->completions, room_->service, &v1::DataPlane::AsyncService::RequestServeNames,
             [this](const std::shared_ptr<Call>& call) { on_call(call); });
}

bool NameService::ask(const contract::NameQuery& query) {
  if (!listening_.load(std::memory_order_acquire)) return false;
  return room_->queue->post([this, query] { take(query); });
}

void NameService::take(const contract::NameQuery& query) {
  if (!up_ || waiting_.size() + outstanding_.size() >= kMaxQuestions) {
    const Errc why = up_ ? Errc::no_room : Errc::unreachable;
    room_->core.name_answer({.id = query.id, .error = why});
    return;
  }
  waiting_.push_back(query);
  pump();
}

void NameService::on_call(const std::shared_ptr<Call>& call) {
  if (current_) drop(current_, {grpc::StatusCode::ABORTED, "a newer ServeNames took over"});
  current_ = call;
  call->on_over([this, weak = std::weak_ptr(call)] {
    if (const auto self = weak.lock()) drop(self, grpc::Status::OK);
  });
  read(call);
}

void NameService::read(const std::shared_ptr<Call>& call) {
  call->read([this, weak = std::weak_ptr(call)](bool ok) {
    const auto self = weak.lock();
    if (self != current_) return;
    if (ok)
      on_message(self);
    else
      drop(self, grpc::Status::OK);
  });
}

void NameService::on_message(const std::shared_ptr<Call>& call) {
  auto answers = wire::decode(call->part);
  if (!answers) {
    drop(call, invalid(answers.error().to_string()));
    return;
  }
  if (call->part.heartbeat() != 0) echo_ = call->part.heartbeat();
  alive();
  for (contract::NameAnswer& answer : *answers)
    if (outstanding_.erase(answer.id) != 0) room_->core.name_answer(std::move(answer));
  pump();
  read(call);
}

void NameService::pump() {
  if (!current_ || current_->writing() || current_->ended()) return;
  if (waiting_.empty() && echo_ == 0) return;
  v1::NamesDown message;
  message.set_heartbeat(std::exchange(echo_, 0));
  for (std::size_t n = 0; n < wire::kMaxAnswers && !waiting_.empty(); ++n) {
    wire::encode(waiting_.front(), message.add_queries());
    outstanding_.insert(waiting_.front().id);
    waiting_.pop_front();
  }
  current_->write(message, [this, weak = std::weak_ptr(current_)](bool ok) {
    if (ok && weak.lock() == current_) pump();
  });
}

void NameService::alive() {
  last_heard_ = monotonic_now();
  if (up_) return;
  up_ = true;
  listening_.store(true, std::memory_order_release);
  SLUICE_LOG(info, "control", "step=heartbeat the control plane is there");
  room_->core.control_back();
  watch_heartbeat();
}

void NameService::watch_heartbeat() {
  const Moment dead = last_heard_ + kControlDead;
  heartbeat_ = room_->queue->after(dead - monotonic_now(), [this] {
    if (monotonic_now() < last_heard_ + kControlDead)
      watch_heartbeat();
    else
      lost();
  });
}

void NameService::lost() {
  if (!std::exchange(up_, false)) return;
  room_->queue->cancel(std::exchange(heartbeat_, 0));
  listening_.store(false, std::memory_order_release);
  SLUICE_LOG(warning, "control", "step=heartbeat the control plane is away");
  room_->core.control_lost();
  auto waiting = std::exchange(waiting_, {});
  auto outstanding = std::exchange(outstanding_, {});
  for (const contract::NameQuery& query : waiting)
    room_->core.name_answer({.id = query.id, .error = Errc::unreachable});
  for (const std::uint64_t id : outstanding)
    room_->core.name_answer({.id = id, .error = Errc::unreachable});
}

void NameService::drop(const std::shared_ptr<Call>& call, const grpc::Status& status) {
  if (call != current_) return;
  current_ = nullptr;
  echo_ = 0;
  call->finish(status);
  lost();
}

}  // namespace sluice::control
