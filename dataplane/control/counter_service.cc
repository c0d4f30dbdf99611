#include "dataplane/control/counter_service.h"

#include <utility>

#include "proto/wire/status.h"

namespace sluice::control {

void CounterService::serve() {
  rpc::serve(room_->completions, room_->service, &v1::DataPlane::AsyncService::RequestReadCounters,
             [this](const std::shared_ptr<Call>& call) { on_call(call); });
}

void CounterService::on_call(const std::shared_ptr<Call>& call) {
  if (current_) drop(current_, {grpc::StatusCode::ABORTED, "a newer ReadCounters took over"});
  current_ = call;
  sent_ = 0;
  call->on_over([this, weak = std::weak_ptr(call)] {
    if (const auto self = weak.lock()) drop(self, grpc::Status::OK);
  });
  read(call);
}

void CounterService::read(const std::shared_ptr<Call>& call) {
  call->read([this, weak = std::weak_ptr(call)](bool ok) {
    const auto self = weak.lock();
    if (self != current_) return;
    if (!ok) {
      drop(self, grpc::Status::OK);
      return;
    }
    feed_.acknowledge(wire::decode(self->part));
    if (feed_.front() != nullptr)
      send_front();
    else if (final_)
      end_finish();
    else if (timer_ == 0)
      timer_ = room_->queue->after(kCounterPeriod, [this] { take(); });
    read(self);
  });
}

void CounterService::send_front() {
  const contract::CounterBatch* batch = feed_.front();
  if (!current_ || current_->writing() || batch == nullptr || batch->sequence == sent_) return;
  sent_ = batch->sequence;
  v1::CounterBatch message;
  wire::encode(*batch, &message);
  current_->write(message, [this, weak = std::weak_ptr(current_)](bool ok) {
    // The acknowledgement may have come before this completion did.
    if (ok && weak.lock() == current_) send_front();
  });
}

void CounterService::take() {
  room_->queue->cancel(std::exchange(timer_, 0));
  if (!current_ || std::exchange(taking_, true)) return;
  const bool final = finished_ != nullptr;
  room_->core.take_counters(room_->on_control_thread<std::vector<contract::CounterDelta>>(
      [this, final](std::vector<contract::CounterDelta> deltas) {
        taking_ = false;
        taken(std::move(deltas), final);
      }));
}

void CounterService::taken(std::vector<contract::CounterDelta> deltas, bool final) {
  feed_.add(std::move(deltas), final);
  final_ = final_ || final;
  // It was under way when the end came: there may be more.
  if (finished_ && !final_) return take();
  if (feed_.front() != nullptr)
    send_front();
  else if (current_ && timer_ == 0)
    timer_ = room_->queue->after(kCounterPeriod, [this] { take(); });
}

void CounterService::finish(std::function<void()> done) {
  finished_ = std::move(done);
  if (!current_) return end_finish();
  room_->queue->after(kFinalPatience, [this] { end_finish(); });
  take();
}

void CounterService::end_finish() {
  if (const auto done = std::exchange(finished_, nullptr)) done();
}

void CounterService::drop(const std::shared_ptr<Call>& call, const grpc::Status& status) {
  if (call != current_) return;
  current_ = nullptr;
  room_->queue->cancel(std::exchange(timer_, 0));
  call->finish(status);
  end_finish();
}

}  // namespace sluice::control
