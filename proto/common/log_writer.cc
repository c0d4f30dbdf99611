#include "proto/common/log_writer.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "proto/common/log.h"
#include "proto/common/log_ring.h"

namespace sluice {
namespace {

/// Whole, whatever the descriptor's mode. A reader that is gone takes nothing: that is no error.
void write_line(int fd, std::string_view line) noexcept {
  while (!line.empty()) {
    const ssize_t n = ::write(fd, line.data(), line.size());
    if (n > 0) {
      line.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      pollfd waiting{fd, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

/// One write(2) per line: lines of several processes share the descriptor and must stay whole.
void write_lines(int fd, std::string_view lines) noexcept {
  while (!lines.empty()) {
    const std::size_t size = lines.find('\n') + 1;
    write_line(fd, lines.substr(0, size));
    lines.remove_prefix(size);
  }
}

void write_dropped(int fd, std::uint64_t count) noexcept {
  std::array<char, 64> text{};
  const int n = std::snprintf(text.data(), text.size(), "%llu log lines dropped",
                              static_cast<unsigned long long>(count));
  log_detail::Line line;
  line.format(LogLevel::warning, "log", {text.data(), static_cast<std::size_t>(n)}, wall_ms());
  write_line(fd, line.view());
}

}  // namespace

LogRing::LogRing() {
  filling_.bytes = std::make_unique_for_overwrite<char[]>(kLogRingBytes);
}

bool LogRing::append(std::string_view line) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (line.size() > kLogRingBytes - filling_.size) {
    ++dropped_;
    return true;
  }
  std::memcpy(filling_.bytes.get() + filling_.size, line.data(), line.size());
  const bool first = std::exchange(filling_.size, filling_.size + line.size()) == 0;
  if (first) filled_.notify_one();
  return true;
}

void LogRing::run(int fd) noexcept {
  Block writing{std::make_unique_for_overwrite<char[]>(kLogRingBytes), 0};
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [this] { return closed_ || filling_.size != 0; });
    if (filling_.size == 0) break;
    std::swap(filling_, writing);
    const std::uint64_t dropped = std::exchange(dropped_, 0);
    lock.unlock();
    write_lines(fd, {writing.bytes.get(), writing.size});
    writing.size = 0;
    // Those that found no room came after these.
    if (dropped != 0) write_dropped(fd, dropped);
    lock.lock();
  }
  ended_ = true;
  done_.notify_all();
}

void LogRing::close(Millis span) noexcept {
  std::unique_lock lock(mutex_);
  closed_ = true;
  filled_.notify_one();
  done_.wait_for(lock, std::chrono::milliseconds(span.count), [this] { return ended_; });
}

LogWriter::LogWriter(int fd) : ring_(std::make_shared<LogRing>()) {
  // Detached: a write(2) that nobody reads cannot be called back, and must not hold up an end.
  try {
    std::thread([ring = ring_, fd] { ring->run(fd); }).detach();
    log_detail::set_ring(ring_);
  } catch (const std::system_error& refused) {
    ring_.reset();
    SLUICE_LOG(warning, "log", "no thread for log lines (%s): each waits for its reader",
               refused.what());
  }
}

LogWriter::~LogWriter() {
  if (!ring_) return;
  log_detail::set_ring(nullptr);
  ring_->close(kLogFlush);
}

}  // namespace sluice
