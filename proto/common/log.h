// common/log.h - leveled log lines; the level is tested before arguments are evaluated.
//
//   SLUICE_LOG(info, "flow", "id=%llu step=connect code=%s", id, text);
//
// One line says who (component), which flow, which step, which code. Never secrets. A disabled line
// costs one relaxed load. Thread: any. Lines reach the one sink, standard error, by one write(2)
// each: at once, or by the thread of a LogWriter (log_writer.h) so that no caller waits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

class LogRing;

enum class LogLevel : std::uint8_t { debug, info, warning, error, silent };

[[nodiscard]] std::string_view to_text(LogLevel level) noexcept;
/// "debug", "info", "warning", "error", "silent". False when unknown.
[[nodiscard]] bool parse_log_level(std::string_view text, LogLevel& out) noexcept;

namespace log_detail {
extern std::atomic<std::uint8_t> threshold;
void write(LogLevel level, std::string_view component, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// Bytes of a line's text; what is longer is cut.
inline constexpr std::size_t kMaxText = 1024;

/// A line as it is written: moment, level, process, component, text and a newline.
class Line {
 public:
  void format(LogLevel level, std::string_view component, std::string_view text,
              std::int64_t wall_ms) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, kMaxText + 128> bytes_;
  std::size_t size_ = 0;
};

/// Where lines go instead of standard error; nullptr: directly again.
void set_ring(std::shared_ptr<LogRing> ring) noexcept;
}  // namespace log_detail

/// Lines below `level` are dropped. The lower of the sink's and the watcher's level counts.
void set_log_level(LogLevel level) noexcept;
[[nodiscard]] inline bool log_enabled(LogLevel level) noexcept {
  return static_cast<std::uint8_t>(level) >= log_detail::threshold.load(std::memory_order_relaxed);
}

/// A further reader of lines (the WatchLog stream). Called under a lock on the writing thread; must
/// only copy and return. nullptr removes it. `level` is the least level it wants.
using LogTap = void (*)(void* context, LogLevel level, std::string_view component,
                        std::string_view text, std::int64_t wall_ms);
void set_log_tap(LogTap tap, void* context, LogLevel level) noexcept;

/// Prefix of every line on standard error, e.g. "dataplane". Static storage.
void set_log_process(std::string_view name) noexcept;

}  // namespace sluice

/// printf formats: checked by the compiler, no <format> in headers. Use `%.*s` with
/// SLUICE_SV(view).
#define SLUICE_LOG(level, component, ...)                                               \
  do {                                                                                  \
    if (::sluice::log_enabled(::sluice::LogLevel::level))                               \
      ::sluice::log_detail::write(::sluice::LogLevel::level, (component), __VA_ARGS__); \
  } while (false)
/// A string_view as the two arguments of "%.*s".
#define SLUICE_SV(view) static_cast<int>((view).size()), (view).data()
