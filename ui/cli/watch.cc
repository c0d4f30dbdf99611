#include "ui/cli/watch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "proto/common/sort_stably.h"
#include "ui/cli/human.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kClearScreen = "\x1b[2J";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLineEnd = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

std::uint64_t bytes_of(const pb::Flow& flow) {
  return flow.upload() + flow.download();
}

/// `text` line by line, at most `height` of them; the last says how many more there are.
std::string painted(std::string_view text, std::size_t height) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const std::size_t shown = height == 0 || lines <= height ? lines : height - 1;
  std::string out(kHome);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t end = text.find('\n');
    out.append(text.substr(0, end)).append(kClearLineEnd).append("\r\n");
    text.remove_prefix(end + 1);
  }
  if (shown < lines)
    out.append("… " + std::to_string(lines - shown) + " more").append(kClearLineEnd);
  return out.append(kClearBelow);
}

}  // namespace

void WatchScreen::sort_busiest_first(pb::FlowTable& table) const {
  const auto moved = [&](const pb::Flow& flow) {
    const auto former = bytes_before_.find(flow.id());
    const std::uint64_t base = former == bytes_before_.end() ? 0 : former->second;
    return bytes_of(flow) - std::min(base, bytes_of(flow));
  };
  sort_stably(table.mutable_flows()->pointer_begin(), table.mutable_flows()->pointer_end(),
              [&](const pb::Flow* a, const pb::Flow* b) { return moved(*a) > moved(*b); });
}

std::string WatchScreen::frame(pb::FlowTable table, const Screen& screen, std::size_t height,
                               Moment now) {
  sort_busiest_first(table);
  const std::int64_t span = first_ ? 0 : (now - before_at_).count;
  std::string out(first_ ? kClearScreen : std::string_view());
  // The terminal moves the screen up after a line break on its last line: leave that one free.
  out += painted(flows_summary(table, before_, span) + flows_text(table, screen),
                 height > 1 ? height - 1 : height);
  bytes_before_.clear();
  for (const pb::Flow& flow : table.flows()) bytes_before_[flow.id()] = bytes_of(flow);
  before_.set_upload_total(table.upload_total());
  before_.set_download_total(table.download_total());
  before_at_ = now;
  first_ = false;
  return out;
}

}  // namespace sluice::cli
