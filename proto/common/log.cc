#include "proto/common/log.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <ctime>
#include <mutex>
#include <new>
#include <utility>

#include "proto/common/clock.h"
#include "proto/common/log_ring.h"

namespace sluice {
namespace {

struct Sink {
  std::mutex mutex;
  LogLevel level = LogLevel::info;
  LogTap tap = nullptr;
  void* tap_context = nullptr;
  LogLevel tap_level = LogLevel::silent;
  std::string_view process;
  std::shared_ptr<LogRing> ring;
};

Sink& sink() noexcept {
  // Never destroyed: the writer's thread may outlive main().
  alignas(Sink) static std::array<std::byte, sizeof(Sink)> room;
  static Sink& instance = *new (room.data()) Sink;
  return instance;
}

// Caller holds the mutex.
void refresh_threshold(const Sink& s) noexcept {
  const LogLevel low = s.tap != nullptr && s.tap_level < s.level ? s.tap_level : s.level;
  log_detail::threshold.store(static_cast<std::uint8_t>(low), std::memory_order_relaxed);
}

}  // namespace

namespace log_detail {

std::atomic<std::uint8_t> threshold{static_cast<std::uint8_t>(LogLevel::info)};

void Line::format(LogLevel level, std::string_view component, std::string_view text,
                  std::int64_t wall) noexcept {
  std::string_view process;
  {
    Sink& s = sink();
    const std::lock_guard lock(s.mutex);
    process = s.process;
  }
  const std::time_t seconds = wall / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  const std::string_view level_text = to_text(level);
  const int n = std::snprintf(
      bytes_.data(), bytes_.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ %.*s %.*s/%.*s: %.*s\n",
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
      parts.tm_sec, static_cast<int>(wall % 1000), SLUICE_SV(level_text), SLUICE_SV(process),
      SLUICE_SV(component), SLUICE_SV(text));
  size_ = std::min(static_cast<std::size_t>(std::max(n, 0)), bytes_.size() - 1);
  if (size_ == bytes_.size() - 1) bytes_[size_ - 1] = '\n';  // cut, but still a line
}

void write(LogLevel level, std::string_view component, const char* format, ...) {
  std::array<char, kMaxText> text{};
  va_list args;
  va_start(args, format);
  const int n = std::vsnprintf(text.data(), text.size(), format, args);
  va_end(args);
  if (n < 0) return;
  const std::size_t size = std::min(static_cast<std::size_t>(n), text.size() - 1);
  // A line is one line, whatever a peer put into a name.
  for (std::size_t i = 0; i < size; ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20) text[i] = ' ';
  const std::string_view said(text.data(), size);
  const std::int64_t wall = wall_ms();
  std::shared_ptr<LogRing> ring;
  {
    Sink& s = sink();
    const std::lock_guard lock(s.mutex);
    if (s.tap != nullptr && level >= s.tap_level)
      s.tap(s.tap_context, level, component, said, wall);
    if (level < s.level) return;
    ring = s.ring;
  }
  Line line;
  line.format(level, component, said, wall);
  if (ring && ring->append(line.view())) return;
  [[maybe_unused]] const auto ignored =
      ::write(STDERR_FILENO, line.view().data(), line.view().size());
}

namespace {

/// The writer's thread, which may hold the lock just then, is not in a forked child: there the lock
/// is free and lines are direct.
void survive_forks() noexcept {
  static const int once =
      ::pthread_atfork([] { sink().mutex.lock(); }, [] { sink().mutex.unlock(); },
                       [] {
                         sink().ring.reset();
                         sink().mutex.unlock();
                       });
  (void)once;
}

}  // namespace

void set_ring(std::shared_ptr<LogRing> ring) noexcept {
  survive_forks();
  Sink& s = sink();
  const std::lock_guard lock(s.mutex);
  s.ring = std::move(ring);
}

}  // namespace log_detail

std::string_view to_text(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
    case LogLevel::silent:
      return "silent";
  }
  return "unknown";
}

bool parse_log_level(std::string_view text, LogLevel& out) noexcept {
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::silent}) {
    if (text == to_text(level)) {
      out = level;
      return true;
    }
  }
  return false;
}

void set_log_level(LogLevel level) noexcept {
  Sink& s = sink();
  const std::lock_guard lock(s.mutex);
  s.level = level;
  refresh_threshold(s);
}

void set_log_tap(LogTap tap, void* context, LogLevel level) noexcept {
  Sink& s = sink();
  const std::lock_guard lock(s.mutex);
  s.tap = tap;
  s.tap_context = context;
  s.tap_level = level;
  refresh_threshold(s);
}

void set_log_process(std::string_view name) noexcept {
  Sink& s = sink();
  const std::lock_guard lock(s.mutex);
  s.process = name;
}

}  // namespace sluice
