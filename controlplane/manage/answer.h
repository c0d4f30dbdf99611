// manage/answer.h - how a management call is answered: once, from any thread, now or later.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace sluice::manage {

enum class FaultKind : std::uint8_t {
  invalid,      ///< the request makes no sense
  not_found,    ///< no such group, member, flow, line, provider or version
  refused,      ///< not in the present state; nothing was changed
  busy,         ///< a bound on watchers or calls is reached
  unavailable,  ///< the data plane is away, or we are stopping
  internal,     ///< a fault of ours
};

/// One sentence for the user; it names the fix.
struct Fault {
  FaultKind kind = FaultKind::internal;
  std::string text;
  friend bool operator==(const Fault&, const Fault&) = default;
};

template <class T>
using Answer = std::expected<T, Fault>;

[[nodiscard]] inline std::unexpected<Fault> fault(FaultKind kind, std::string text) {
  return std::unexpected<Fault>(Fault{kind, std::move(text)});
}

/// The one answer to one call. Move-only; a Reply that is dropped unanswered answers "internal", so
/// that no client waits for ever. Thread: any, one at a time.
template <class T>
class Reply {
 public:
  using Deliver = std::move_only_function<void(Answer<T>)>;

  explicit Reply(Deliver deliver) : deliver_(std::move(deliver)) {}
  Reply(Reply&& other) noexcept : deliver_(std::exchange(other.deliver_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    if (this != &other) {
      abandon();
      deliver_ = std::exchange(other.deliver_, nullptr);
    }
    return *this;
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() { abandon(); }

  /// Only the first answer counts.
  void operator()(Answer<T> answer) {
    if (Deliver deliver = std::exchange(deliver_, nullptr)) deliver(std::move(answer));
  }

 private:
  void abandon() {
    if (deliver_) (*this)(fault(FaultKind::internal, "the router lost this call; try again"));
  }

  Deliver deliver_;
};

/// The service's end of a stream. Held by shared_ptr; a push never blocks and never fails the
/// pusher: a reader that is slow gets fewer values (see watch_queue.h). Thread: any.
template <class T>
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  /// False once the reader has left or the stream has ended: stop and let go of it.
  virtual bool push(T value) = 0;
  /// Ends the stream after what was pushed. Without a fault it ended well.
  virtual void end() = 0;
  virtual void end(Fault fault) = 0;
  /// Called once when the stream is over, whoever ended it; at once when it already is. Runs on the
  /// thread of the server or of the caller; must not call back into the watcher.
  virtual void on_over(std::move_only_function<void()> callback) = 0;
};

template <class T>
using WatcherPtr = std::shared_ptr<Watcher<T>>;

}  // namespace sluice::manage
