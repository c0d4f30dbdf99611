// loop/ready.h - what runs next on a loop: resumed coroutines and turns that were cut short.
#pragma once

#include <coroutine>

namespace sluice {

/// Intrusive entry of a loop's ready list. Destroying a queued entry takes it off the list.
/// Thread: its loop's.
class Ready {
 public:
  Ready() noexcept = default;
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;
  virtual ~Ready() { unlink(); }
  [[nodiscard]] bool queued() const noexcept { return next_ != nullptr; }

 protected:
  /// Runs once per queueing, from the loop, never inside the call that queued it.
  virtual void run() noexcept = 0;

 private:
  friend class ReadyList;
  void unlink() noexcept {
    if (next_ == nullptr) return;
    next_->previous_ = previous_;
    previous_->next_ = next_;
    next_ = previous_ = nullptr;
  }
  Ready* next_ = nullptr;
  Ready* previous_ = nullptr;
};

/// Circular list with a sentinel.
class ReadyList final : private Ready {
 public:
  ReadyList() noexcept { reset(); }
  ~ReadyList() override { detach_all(); }
  [[nodiscard]] bool empty() const noexcept { return next_ == this; }
  /// No effect when already queued.
  void push(Ready& entry) noexcept {
    if (entry.queued()) return;
    entry.previous_ = previous_;
    entry.next_ = this;
    previous_->next_ = &entry;
    previous_ = &entry;
  }
  /// Takes over everything of `other`.
  void splice(ReadyList& other) noexcept {
    while (!other.empty()) {
      Ready* entry = other.next_;
      entry->unlink();
      push(*entry);
    }
  }
  /// Runs the first entry; needs !empty().
  void run_first() noexcept {
    Ready* entry = next_;
    entry->unlink();
    entry->run();
  }

 private:
  void run() noexcept override {}
  void reset() noexcept { next_ = previous_ = this; }
  void detach_all() noexcept {
    while (!empty()) next_->unlink();
    next_ = previous_ = nullptr;
  }
};

/// A coroutine to resume.
class ReadyCoroutine final : public Ready {
 public:
  void set(std::coroutine_handle<> handle) noexcept { handle_ = handle; }

 protected:
  void run() noexcept override { handle_.resume(); }

 private:
  std::coroutine_handle<> handle_;
};

}  // namespace sluice
