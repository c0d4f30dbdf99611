#include "ui/cli/top_screen.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "proto/common/clock.h"
#include "proto/common/unique_fd.h"
#include "ui/cli/terminal.h"

namespace sluice::cli {
namespace {

constexpr std::uint32_t kInterval_ms = 1000;

/// The newest table, and how the stream ended.
class Feed {
 public:
  explicit Feed(Client& client)
      : client_(client), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] {
          auto ended = client_.watch_flows(kInterval_ms, [this](const pb::FlowTable& table) {
            const std::lock_guard lock(mutex_);
            newest_ = table;
            wake();
            return !stopping_;
          });
          const std::lock_guard lock(mutex_);
          ended_ = std::move(ended);
          wake();
        }) {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    client_.stop_stream();
    thread_.join();
  }

  [[nodiscard]] int wake_fd() const noexcept { return wake_.get(); }
  [[nodiscard]] std::optional<pb::FlowTable> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(newest_, std::nullopt);
  }
  [[nodiscard]] std::optional<Outcome<void>> ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  void wake() const {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

  Client& client_;
  UniqueFd wake_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::optional<pb::FlowTable> newest_;
  std::optional<Outcome<void>> ended_;
  std::thread thread_;  // last: it uses the members above
};

bool paint(TopView& view) {
  const Terminal now = terminal();
  return print(view.frame({now.width, wall_ms()}, now.height));
}

}  // namespace

Outcome<void> run_top(Client& client, RawTerminal& terminal, TopView& view) {
  Feed feed(client);
  while (paint(view)) {
    const RawTerminal::News news = terminal.wait(feed.wake_fd());
    if (news.ended || !view.keys(news.keys)) break;
    if (!news.woken) continue;
    if (auto table = feed.take()) view.take(std::move(*table), monotonic_now());
    if (auto ended = feed.ended()) return std::move(*ended);
  }
  return {};
}

}  // namespace sluice::cli
