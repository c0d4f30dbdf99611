#include "proto/common/log.h"

#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <mutex>

#include "proto/common/clock.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxLine = 1024;

struct Sink {
  std::mutex mutex;
  LogLevel level = LogLevel::info;
  LogTap tap = nullptr;
  void* tap_context = nullptr;
  LogLevel tap_level = LogLevel::silent;
  std::string_view process;
};

Sink& sink() noexcept {
  static Sink instance;
  return instance;
}

// Caller holds the mutex.
void refresh_threshold(const Sink& s) noexcept {
  const LogLevel low = s.tap != nullptr && s.tap_level < s.level ? s.tap_level : s.level;
  log_detail::threshold.store(static_cast<std::uint8_t>(low), std::memory_order_relaxed);
}

void write_line(const Sink& s, LogLevel level, std::string_view component, std::string_view text,
                std::int64_t wall) {
  std::array<char, kMaxLine + 128> line{};
  const std::time_t seconds = wall / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  const std::string_view level_text = to_text(level);
  int n = std::snprintf(
      line.data(), line.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ %.*s %.*s/%.*s: %.*s\n",
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
      parts.tm_sec, static_cast<int>(wall % 1000), SLUICE_SV(level_text), SLUICE_SV(s.process),
      SLUICE_SV(component), SLUICE_SV(text));
  if (n < 0) return;
  if (static_cast<std::size_t>(n) >= line.size()) n = static_cast<int>(line.size()) - 1;
  [[maybe_unused]] const auto ignored =
      ::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(n));
}

}  // namespace

namespace log_detail {

std::atomic<std::uint8_t> threshold{static_cast<std::uint8_t>(LogLevel::info)};

void write(LogLevel level, std::string_view component, const char* format, ...) {
  std::array<char, kMaxLine> text{};
  va_list args;
  va_start(args, format);
  const int n = std::vsnprintf(text.data(), text.size(), format, args);
  va_end(args);
  if (n < 0) return;
  std::size_t size = static_cast<std::size_t>(n);
  if (size >= text.size()) size = text.size() - 1;
  // A line is one line, whatever a peer put into a name.
  for (std::size_t i = 0; i < size; ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20) text[i] = ' ';
  const std::string_view line(text.data(), size);
  const std::int64_t wall = wall_ms();
  Sink& s = sink();
  const std::lock_guard lock(s.mutex);
  if (level >= s.level) write_line(s, level, component, line, wall);
  if (s.tap != nullptr && level >= s.tap_level) s.tap(s.tap_context, level, component, line, wall);
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
