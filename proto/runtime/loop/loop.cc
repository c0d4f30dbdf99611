#include "proto/runtime/loop/loop.h"

#include <sys/epoll.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/inbox.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/watch.h"

namespace sluice {

namespace task_detail {
thread_local Loop* current_loop = nullptr;
}  // namespace task_detail

namespace {

/// Entries of the ready list run per turn before descriptors are looked at again.
constexpr int kReadyBudget = 4096;
constexpr int kEventBatch = 128;

class CurrentLoop {
 public:
  explicit CurrentLoop(Loop& loop) noexcept : former_(task_detail::current_loop) {
    task_detail::current_loop = &loop;
  }
  CurrentLoop(const CurrentLoop&) = delete;
  CurrentLoop& operator=(const CurrentLoop&) = delete;
  ~CurrentLoop() { task_detail::current_loop = former_; }

 private:
  Loop* former_;
};

/// A root coroutine: owns a task, removes itself from the loop's list when the task has ended.
struct Root {
  struct promise_type {
    static void* operator new(std::size_t size) { return frame_pool::allocate(size); }
    static void operator delete(void* memory, std::size_t size) noexcept {
      frame_pool::release(memory, size);
    }
    promise_type() noexcept = default;
    ~promise_type() {
      if (previous != nullptr) previous->next = next;
      if (next != nullptr) next->previous = previous;
    }
    Root get_return_object() noexcept { return {this}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    [[noreturn]] void unhandled_exception() noexcept { std::abort(); }

    promise_type* next = nullptr;
    promise_type* previous = nullptr;
  };
  promise_type* promise;
};

Root drive(Task<void> task) {
  co_await task;
}

}  // namespace

struct Loop::Impl {
  uv_loop_t uv{};
  uv_async_t wake{};
  UniqueFd epoll;
  Inbox inbox;
  std::array<epoll_event, kEventBatch> events{};
  int event_count = 0;
  int event_next = 0;
  Root::promise_type roots;  // list head, never a coroutine
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<Loop>> Loop::make() {
  std::unique_ptr<Loop> loop(new Loop);
  Impl& impl = *loop->impl_;
  impl.epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!impl.epoll.valid()) {
    loop->impl_.reset();
    return fail_errno(errno);
  }
  if (const int rc = uv_loop_init(&impl.uv); rc != 0) {
    loop->impl_.reset();
    return fail_errno(-rc);
  }
  impl.uv.data = loop.get();
  uv_async_init(&impl.uv, &impl.wake, [](uv_async_t* handle) {
    static_cast<Loop*>(handle->loop->data)->impl_->inbox.run_all();
  });
  // libuv adds its descriptors to its own epoll set when it first runs.
  uv_run(&impl.uv, UV_RUN_NOWAIT);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &impl.uv;
  if (::epoll_ctl(impl.epoll.get(), EPOLL_CTL_ADD, uv_backend_fd(&impl.uv), &event) != 0)
    return fail_errno(errno);
  loop->refresh_now();
  return loop;
}

Loop::~Loop() {
  if (impl_ == nullptr) return;
  end_roots();
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->wake), nullptr);
  uv_run(&impl_->uv, UV_RUN_DEFAULT);
  uv_loop_close(&impl_->uv);
}

void Loop::run() {
  stopped_ = false;
  while (!stopped_) run_once(Millis{INT64_MAX});
}

void Loop::run_once(Millis longest) {
  const CurrentLoop current(*this);
  run_ready();  // what was queued from outside a turn
  if (stopped_) return;
  const Moment limit = longest.count == INT64_MAX ? Moment::never() : refresh_now() + longest;
  const bool more = !next_ready_.empty() || !ready_.empty();
  ready_.splice(next_ready_);
  dispatch_events(more ? 0 : wait_ms(std::min(timers_.next(), limit)));
  timers_.advance(now_);
  run_ready();
}

int Loop::wait_ms(Moment wake) noexcept {
  if (wake == Moment::never()) return -1;
  const Millis span = wake - refresh_now();
  return static_cast<int>(std::clamp<std::int64_t>(span.count, 0, INT_MAX));
}

void Loop::run_ready() noexcept {
  for (int budget = kReadyBudget; budget != 0 && !ready_.empty(); --budget) ready_.run_first();
}

void Loop::dispatch_events(int wait_ms) noexcept {
  const int count = ::epoll_wait(impl_->epoll.get(), impl_->events.data(), kEventBatch, wait_ms);
  refresh_now();
  impl_->event_count = count > 0 ? count : 0;
  for (impl_->event_next = 0; impl_->event_next < impl_->event_count;) {
    const epoll_event& event = impl_->events[static_cast<std::size_t>(impl_->event_next++)];
    if (event.data.ptr == &impl_->uv) {
      uv_run(&impl_->uv, UV_RUN_NOWAIT);
    } else if (event.data.ptr != nullptr) {
      static_cast<Watch*>(event.data.ptr)->on_events(event.events);
    }
  }
  impl_->event_count = 0;
}

void Loop::forget(Watch& watch) noexcept {
  (void)::epoll_ctl(impl_->epoll.get(), EPOLL_CTL_DEL, watch.fd(), nullptr);
  for (int i = impl_->event_next; i < impl_->event_count; ++i) {
    epoll_event& event = impl_->events[static_cast<std::size_t>(i)];
    if (event.data.ptr == &watch) event.data.ptr = nullptr;
  }
}

int Loop::epoll_fd() const noexcept {
  return impl_->epoll.get();
}

Moment Loop::refresh_now() noexcept {
  now_ = monotonic_now();
  return now_;
}

void Loop::post(std::unique_ptr<Job> job) noexcept {
  if (impl_->inbox.push(std::move(job))) uv_async_send(&impl_->wake);
}

void Loop::request_stop() {
  post(make_job([this] { stop(); }));
}

void Loop::spawn(Task<void> task) {
  const CurrentLoop current(*this);
  Root::promise_type* root = drive(std::move(task)).promise;
  root->next = impl_->roots.next;
  root->previous = &impl_->roots;
  if (root->next != nullptr) root->next->previous = root;
  impl_->roots.next = root;
  std::coroutine_handle<Root::promise_type>::from_promise(*root).resume();
}

void Loop::end_roots() noexcept {
  const CurrentLoop current(*this);
  while (impl_->roots.next != nullptr)
    std::coroutine_handle<Root::promise_type>::from_promise(*impl_->roots.next).destroy();
}

std::size_t Loop::root_count() const noexcept {
  std::size_t count = 0;
  for (const auto* root = impl_->roots.next; root != nullptr; root = root->next) ++count;
  return count;
}

}  // namespace sluice
