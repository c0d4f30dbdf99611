#include "proto/runtime/loop/wait.h"

#include <utility>

namespace sluice {

Waiter::~Waiter() {
  leave_scope();
}

void Waiter::begin(std::coroutine_handle<> handle, Moment deadline, CancelScope* scope) noexcept {
  waiting_ = true;
  resume_.set(handle);
  loop_.arm(*this, deadline);
  if (scope == nullptr) return;
  scope_ = scope;
  next_ = scope->first_;
  if (next_ != nullptr) next_->previous_ = this;
  scope->first_ = this;
}

void Waiter::finish(Status outcome) noexcept {
  if (!waiting_) return;
  waiting_ = false;
  outcome_ = outcome;
  disarm();
  leave_scope();
  detach();
  loop_.queue(resume_);
}

void Waiter::leave_scope() noexcept {
  if (scope_ == nullptr) return;
  (previous_ != nullptr ? previous_->next_ : scope_->first_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  next_ = previous_ = nullptr;
  scope_ = nullptr;
}

void CancelScope::cancel() noexcept {
  cancelled_ = true;
  while (first_ != nullptr) first_->finish(fail(Errc::cancelled));
}

namespace {

/// Common start of every await: true when it must not wait at all.
bool ends_at_once(Loop& loop, const Until& until, Status& outcome) noexcept {
  if (until.scope != nullptr && until.scope->cancelled()) {
    outcome = fail(Errc::cancelled);
    return true;
  }
  if (until.deadline <= loop.now()) {
    outcome = fail(Errc::timeout);
    return true;
  }
  return false;
}

}  // namespace

bool ReadinessAwait::await_ready() noexcept {
  if (until_.scope != nullptr && until_.scope->cancelled()) {
    outcome_ = fail(Errc::cancelled);
    return true;
  }
  if (side_ == Side::read ? watch_.readable() : watch_.writable()) return true;
  return ends_at_once(loop_, until_, outcome_);
}

void ReadinessAwait::await_suspend(std::coroutine_handle<> handle) noexcept {
  (side_ == Side::read ? watch_.reader_ : watch_.writer_) = this;
  begin(handle, until_.deadline, until_.scope);
}

void ReadinessAwait::detach() noexcept {
  Waiter*& slot = side_ == Side::read ? watch_.reader_ : watch_.writer_;
  if (slot == this) slot = nullptr;
}

bool SleepAwait::await_ready() noexcept {
  if (until_.scope != nullptr && until_.scope->cancelled()) {
    outcome_ = fail(Errc::cancelled);
    return true;
  }
  return until_.deadline <= loop_.now();
}

Event::~Event() {
  if (waiter_ != nullptr) {
    waiter_->event_ = nullptr;
    waiter_->finish(fail(Errc::cancelled));
  }
}

void Event::set() noexcept {
  set_ = true;
  if (waiter_ != nullptr) waiter_->finish({});
}

bool Event::Await::await_ready() noexcept {
  if (until_.scope != nullptr && until_.scope->cancelled()) {
    outcome_ = fail(Errc::cancelled);
    return true;
  }
  return event_->set_ || ends_at_once(loop_, until_, outcome_);
}

void Event::Await::await_suspend(std::coroutine_handle<> handle) noexcept {
  event_->waiter_ = this;
  begin(handle, until_.deadline, until_.scope);
}

void Event::Await::detach() noexcept {
  if (event_ != nullptr && event_->waiter_ == this) event_->waiter_ = nullptr;
}

}  // namespace sluice
