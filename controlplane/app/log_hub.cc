#include "controlplane/app/log_hub.h"

#include <algorithm>
#include <utility>

namespace sluice::control_plane {

LogHub::~LogHub() {
  set_log_tap(nullptr, nullptr, LogLevel::silent);
}

std::size_t LogHub::kept_bytes() const noexcept {
  std::size_t out = kept_.size() * sizeof(manage::LogLine);
  for (const manage::LogLine& line : kept_) out += line.record.text.capacity();
  return out;
}

void LogHub::set_level(LogLevel level) {
  configured_ = level;
  set_log_level(level);
  listen();
}

void LogHub::listen() {
  LogLevel wanted = configured_;
  for (const Watch& watch : watches_) wanted = std::min(wanted, watch.level);
  if (wanted == listening_) return;
  listening_ = wanted;
  set_log_tap(&LogHub::tap, this, wanted);
  follow_plane();
}

void LogHub::follow_plane() {
  plane_lines_ = {};
  if (listening_ == LogLevel::silent || plane_.client() == nullptr) return;
  plane_lines_ = plane_.client()->watch_log(
      listening_, plane_.at_home<const std::vector<contract::LogRecord>&>(
                      [this](const std::vector<contract::LogRecord>& records) {
                        for (const contract::LogRecord& record : records) add({record, true});
                      }));
}

void LogHub::tap(void* context, LogLevel level, std::string_view component, std::string_view text,
                 std::int64_t wall_ms) {
  auto* hub = static_cast<LogHub*>(context);
  manage::LogLine line;
  line.record = {wall_ms, static_cast<std::uint8_t>(level), std::string(component),
                 std::string(text)};
  hub->home_.post(make_job([hub, line = std::move(line)]() mutable { hub->add(std::move(line)); }));
}

void LogHub::add(manage::LogLine line) {
  std::erase_if(watches_, [&](const Watch& watch) {
    return line.record.level >= static_cast<std::uint8_t>(watch.level) &&
           !watch.watcher->push(line);
  });
  // A curious watcher's lines are not what the next one asks for.
  if (line.record.level < static_cast<std::uint8_t>(configured_)) return;
  if (kept_.size() == kKept) kept_.pop_front();
  kept_.push_back(std::move(line));
}

void LogHub::watch(const manage::LogQuery& query, manage::WatcherPtr<manage::LogLine> watcher) {
  for (const manage::LogLine& line : kept_)
    if (line.record.level >= query.level && !watcher->push(line)) return;
  if (!query.follow) return watcher->end();
  watcher->on_over(
      [this, gone = watcher.get()] { home_.post(make_job([this, gone] { prune(gone); })); });
  watches_.push_back({static_cast<LogLevel>(query.level), std::move(watcher)});
  listen();
}

void LogHub::prune(const manage::Watcher<manage::LogLine>* gone) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.watcher.get() == gone; });
  listen();
}

void LogHub::end(const manage::Fault& fault) {
  plane_lines_ = {};
  for (const Watch& watch : std::exchange(watches_, {})) watch.watcher->end(fault);
}

}  // namespace sluice::control_plane
