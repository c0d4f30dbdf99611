#include "dataplane/control/binding_service.h"

#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control {

void BindingService::replay(contract::BindingBatch bindings,
                            std::optional<recovery::BindingLog> log, rpc::Closure done) {
  log_ = std::move(log);
  last_number_ = bindings.number;
  if (bindings.add.empty()) {
    done();
    return;
  }
  SLUICE_LOG(info, "control", "step=replay %zu name bindings", bindings.add.size());
  busy_ = true;
  room_->core.bind_names(
      std::move(bindings), room_->on_control_thread<bool>([this, done = std::move(done)](bool ok) {
        busy_ = false;
        if (!ok) SLUICE_LOG(error, "control", "step=replay the workers refused the bindings");
        done();
      }));
}

void BindingService::serve() {
  rpc::serve(room_->completions, room_->service, &v1::DataPlane::AsyncService::RequestBindNames,
             [this](const std::shared_ptr<Call>& call) { on_call(call); });
}

void BindingService::on_call(const std::shared_ptr<Call>& call) {
  if (current_) drop(current_, {grpc::StatusCode::ABORTED, "a newer BindNames took over"});
  current_ = call;
  assembly_ = {};
  next_.reset();
  call->on_over([this, weak = std::weak_ptr(call)] {
    if (const auto self = weak.lock()) drop(self, grpc::Status::OK);
  });
  read(call);
}

void BindingService::read(const std::shared_ptr<Call>& call) {
  call->read([this, weak = std::weak_ptr(call)](bool ok) {
    const auto self = weak.lock();
    if (self != current_) return;
    if (ok)
      on_part(self);
    else
      drop(self, grpc::Status::OK);
  });
}

void BindingService::on_part(const std::shared_ptr<Call>& call) {
  const auto whole = assembly_.add(call->part);
  if (!whole) {
    drop(call, invalid(whole.error().to_string()));
    return;
  }
  if (!*whole) {
    read(call);
    return;
  }
  next_ = assembly_.take();
  bind_next();
}

void BindingService::bind_next() {
  if (busy_ || !next_) return;
  contract::BindingBatch batch = std::move(*next_);
  next_.reset();
  if (const grpc::Status status = check_and_log(batch); !status.ok()) {
    drop(current_, status);
    return;
  }
  busy_ = true;
  const std::uint64_t number = batch.number;
  room_->core.bind_names(
      std::move(batch),
      room_->on_control_thread<bool>([this, number, weak = std::weak_ptr(current_)](bool ok) {
        busy_ = false;
        if (ok) last_number_ = number;
        const auto asker = weak.lock();
        if (asker && asker == current_) {
          if (ok)
            acknowledge(number);
          else
            drop(asker, {grpc::StatusCode::RESOURCE_EXHAUSTED, "the workers have no room"});
        }
        bind_next();
      }));
}

grpc::Status BindingService::check_and_log(const contract::BindingBatch& batch) {
  const bool in_order =
      batch.replace ? batch.number > last_number_ : batch.number == last_number_ + 1;
  if (!in_order)
    return {grpc::StatusCode::FAILED_PRECONDITION, "number: is " + std::to_string(batch.number) +
                                                       " after " + std::to_string(last_number_)};
  if (!log_) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the binding log cannot be written"};
  if (const Status written = log_->append(batch); !written)
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            "the binding log cannot be written: " + describe(written.error())};
  return grpc::Status::OK;
}

void BindingService::acknowledge(std::uint64_t number) {
  v1::BindingAck ack;
  ack.set_number(number);
  current_->write(ack, [this, weak = std::weak_ptr(current_)](bool ok) {
    const auto self = weak.lock();
    if (self != current_) return;
    if (ok)
      read(self);
    else
      drop(self, grpc::Status::OK);
  });
}

void BindingService::drop(const std::shared_ptr<Call>& call, const grpc::Status& status) {
  if (call != current_) return;
  if (!status.ok())
    SLUICE_LOG(warning, "control", "step=bind refused: %s", status.error_message().c_str());
  current_ = nullptr;
  next_.reset();
  call->finish(status);
}

}  // namespace sluice::control
