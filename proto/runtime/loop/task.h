// loop/task.h - lazy coroutines: one owner, one awaiter, frames from the thread's pool.
//
//   Task<Result<Socket>> dial(Worker& w, Endpoint to, Until until);
//   Result<Socket> s = co_await dial(w, to, until);
//
// A task starts when it is awaited. If it ends without having waited for anything, its awaiter goes
// on at once; otherwise the awaiter is queued on the loop's ready list when it ends. Neither way
// grows the stack with the number of steps. Destroying a task that waits destroys its frame, and
// with it everything it owns: that is how an owner ends work early.
//
// GCC 12 rules (style.md): name it, then await it; no arrays in a coroutine body; never
// `switch (co_await …)`. Thread: the loop's.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <optional>
#include <utility>

#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/ready.h"

namespace sluice {

namespace task_detail {

/// The loop whose turn runs on this thread. Set by Loop::run and run_once.
extern thread_local Loop* current_loop;

struct PromiseBase {
  static void* operator new(std::size_t size) { return frame_pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    frame_pool::release(memory, size);
  }

  struct Final {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) const noexcept {
      PromiseBase& promise = self.promise();
      promise.done = true;
      if (promise.waiter.address() == nullptr) return;
      promise.resume.set(promise.waiter);
      current_loop->queue(promise.resume);
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  // Rooms that use coroutines throw nothing; what still arrives is a bug or lack of memory.
  [[noreturn]] void unhandled_exception() noexcept { std::abort(); }

  std::coroutine_handle<> waiter;
  ReadyCoroutine resume;
  bool done = false;
};

template <class T>
struct Promise : PromiseBase {
  auto get_return_object() noexcept { return std::coroutine_handle<Promise>::from_promise(*this); }
  template <class U>
  void return_value(U&& value) noexcept {
    result.emplace(std::forward<U>(value));
  }
  std::optional<T> result;
};

template <>
struct Promise<void> : PromiseBase {
  auto get_return_object() noexcept { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_void() noexcept {}
};

}  // namespace task_detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): get_return_object converts.
  Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  [[nodiscard]] bool valid() const noexcept { return handle_.address() != nullptr; }
  [[nodiscard]] bool done() const noexcept { return handle_.promise().done; }

  /// Runs until the first wait without an awaiter: for owners that poll done() or use on_done.
  void start() noexcept { handle_.resume(); }
  /// The result of a task that is done.
  T take() noexcept {
    if constexpr (!std::is_void_v<T>) return std::move(*handle_.promise().result);
  }

  struct Awaiter {
    explicit Awaiter(Handle handle) noexcept : handle_(handle) {}
    [[nodiscard]] bool await_ready() const noexcept {
      if (!handle_.promise().done) handle_.resume();
      return handle_.promise().done;
    }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept {
      handle_.promise().waiter = waiter;
    }
    T await_resume() const noexcept {
      if constexpr (!std::is_void_v<T>) return std::move(*handle_.promise().result);
    }

   private:
    Handle handle_;
  };
  Awaiter operator co_await() const noexcept { return Awaiter(handle_); }

 private:
  friend class Loop;
  void reset() noexcept {
    if (handle_.address() != nullptr) handle_.destroy();
    handle_ = {};
  }
  Handle handle_;
};

}  // namespace sluice
