#include "ui/cli/top_view.h"

#include <algorithm>
#include <utility>

#include "proto/common/sort_stably.h"
#include "proto/common/text.h"
#include "ui/cli/human.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLineEnd = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kInverse = "\x1b[7m";
constexpr std::string_view kPlain = "\x1b[0m";
/// Narrower screens leave out columns, the least telling first.
constexpr std::size_t kWidthForRule = 110;
constexpr std::size_t kWidthForWay = 84;
constexpr std::size_t kWidthForAge = 60;
constexpr std::size_t kLongestSearch = 64;
constexpr char kEscape = '\x1b';
constexpr char kInterrupt = '\x03';

std::string way_of(const pb::Flow& f) {
  std::string out;
  for (int i = f.chains_size() - 1; i >= 0; --i) out += (out.empty() ? "" : " > ") + f.chains(i);
  return out;
}

std::string target_of(const pb::Flow& f) {
  const std::string& host = f.host().empty() ? f.destination().ip() : f.host();
  return join_host_port(host, static_cast<std::uint16_t>(f.destination().port()));
}

std::uint64_t total_of(const pb::Flow& f) {
  return f.upload() + f.download();
}

/// One line cut to the screen, with what clears the rest of it.
void add_line(std::string& out, std::string_view line, const Screen& screen) {
  out += screen.width == 0 ? std::string(line) : truncate(line, screen.width);
  out += kClearLineEnd;
  out += "\r\n";
}

}  // namespace

void TopView::take(pb::FlowTable table, Moment now) {
  if (paused_) return;
  rates_.look(table, now);
  before_.set_upload_total(table_.upload_total());
  before_.set_download_total(table_.download_total());
  before_at_ = at_;
  at_ = now;
  table_ = std::move(table);
}

bool TopView::keys(std::string_view bytes) {
  for (const char c : bytes) key(c);
  return !ended_;
}

void TopView::key(char c) {
  if (!escape_.empty() || c == kEscape) {
    // ESC [ A: an arrow. A lone ESC ends a search; the next key tells the two apart.
    if (c == kEscape && typing_) {
      typing_ = false;
      search_.clear();
      return;
    }
    escape_ += c;
    if (escape_.size() == 2 && c != '[' && c != 'O') escape_.clear();
    if (escape_.size() < 3) return;
    escape_.clear();
    return arrow(c);
  }
  if (c == kInterrupt) {
    ended_ = true;
    return;
  }
  if (typing_) return type(c);
  switch (c) {
    case 'q':
      ended_ = true;
      return;
    case 'p':
    case ' ':
      paused_ = !paused_;
      return;
    case '/':
      typing_ = true;
      search_.clear();
      return;
    case 'i':
      inverted_ = !inverted_;
      return;
    case 'r':
      return sort_by(TopOrder::rate);
    case 't':
      return sort_by(TopOrder::total);
    case 'a':
      return sort_by(TopOrder::age);
    case 'c':
      return sort_by(TopOrder::client);
    case 'h':
      return sort_by(TopOrder::host);
    case 'j':
      return arrow('B');
    case 'k':
      return arrow('A');
    default:
      return;
  }
}

void TopView::type(char c) {
  first_ = 0;
  if (c == '\r' || c == '\n')
    typing_ = false;
  else if (c == '\x7f' || c == '\b')
    search_.resize(search_.empty() ? 0 : search_.size() - 1);
  else if (static_cast<unsigned char>(c) >= 0x20 && search_.size() < kLongestSearch)
    search_ += c;
}

void TopView::arrow(char c) noexcept {
  if (c == 'A' && first_ > 0) --first_;
  if (c == 'B') ++first_;  // bounded where it is shown
}

void TopView::sort_by(TopOrder order) noexcept {
  order_ = order;
  inverted_ = false;
  first_ = 0;
}

bool TopView::holds(const pb::Flow& flow) const {
  if (!filter_.wants(flow)) return false;
  if (rates_.known() && rates_.of(flow).both() < filter_.min_rate) return false;
  if (search_.empty()) return true;
  const std::string texts[] = {client_text(flow), flow.source().ip(), target_of(flow),
                               rule_text(flow), way_of(flow)};
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text.find(search_) != std::string::npos; });
}

std::vector<const pb::Flow*> TopView::sorted() const {
  std::vector<const pb::Flow*> out;
  for (const pb::Flow& flow : table_.flows())
    if (holds(flow)) out.push_back(&flow);
  const auto before = [this](const pb::Flow* a, const pb::Flow* b) {
    switch (order_) {
      case TopOrder::rate:
        return rates_.of(*a).both() > rates_.of(*b).both();
      case TopOrder::total:
        return total_of(*a) > total_of(*b);
      case TopOrder::age:
        return a->start_wall_ms() < b->start_wall_ms();
      case TopOrder::client:
        return client_text(*a) < client_text(*b);
      case TopOrder::host:
        return target_of(*a) < target_of(*b);
    }
    return false;
  };
  sort_stably(out.begin(), out.end(), before);
  if (inverted_) std::ranges::reverse(out);
  return out;
}

pb::FlowTable TopView::shown() const {
  pb::FlowTable out;
  out.set_upload_total(table_.upload_total());
  out.set_download_total(table_.download_total());
  for (const pb::Flow* flow : sorted()) *out.add_flows() = *flow;
  return out;
}

std::string TopView::rows(const std::vector<const pb::Flow*>& flows, const Screen& screen) const {
  const auto fits = [&](std::size_t width) { return screen.width == 0 || screen.width >= width; };
  std::vector<Column> columns{{"CLIENT", Align::left, true}, {"DESTINATION", Align::left, true}};
  if (fits(kWidthForRule)) columns.push_back({"RULE", Align::left, true});
  if (fits(kWidthForWay)) columns.push_back({"WAY", Align::left, true});
  columns.push_back({"UP/S", Align::right});
  columns.push_back({"DOWN/S", Align::right});
  if (fits(kWidthForAge)) {
    columns.push_back({"TOTAL", Align::right});
    columns.push_back({"AGE", Align::right});
  }
  std::vector<std::vector<std::string>> cells;
  for (const pb::Flow* flow : flows) {
    const FlowRate rate = rates_.of(*flow);
    std::vector<std::string> row{client_text(*flow), target_of(*flow)};
    if (fits(kWidthForRule)) row.push_back(rule_text(*flow));
    if (fits(kWidthForWay)) row.push_back(way_of(*flow));
    row.push_back(human_bytes(rate.up));
    row.push_back(human_bytes(rate.down));
    if (fits(kWidthForAge)) {
      row.push_back(human_bytes(total_of(*flow)));
      row.push_back(human_span(screen.now_wall_ms - flow->start_wall_ms()));
    }
    cells.push_back(std::move(row));
  }
  return layout(columns, cells, screen.width);
}

std::string TopView::head(std::size_t count, const Screen&) const {
  const std::int64_t span = (at_ - before_at_).count;
  const auto rate = [&](std::uint64_t now, std::uint64_t former) {
    return rates_.known() && now >= former ? human_rate(now - former, span) : std::string("-");
  };
  std::string out = "sluice top: " + counted(count, "flow");
  if (count != static_cast<std::size_t>(table_.flows_size()))
    out += " of " + std::to_string(table_.flows_size());
  return out + ", up " + rate(table_.upload_total(), before_.upload_total()) + ", down " +
         rate(table_.download_total(), before_.download_total()) + ", by " +
         kTopWords[static_cast<std::size_t>(order_)] + (inverted_ ? " (inverted)" : "") +
         (paused_ ? ", PAUSED" : "");
}

std::string TopView::foot(const Screen&) const {
  if (typing_) return "search: " + printable(search_) + "_   Enter keeps it, Esc drops it";
  std::string out = "q quit  p pause  r rate  t total  a age  c client  h host  i invert  / search";
  if (!search_.empty()) out += "  [" + printable(search_) + "]";
  return out;
}

std::string TopView::frame(const Screen& screen, std::size_t height) {
  const std::vector<const pb::Flow*> flows = sorted();
  const std::size_t room = height > 3 ? height - 3 : 0;  // head, titles, foot
  const std::size_t last = flows.size() > room ? flows.size() - room : 0;
  first_ = std::min(first_, last);
  const auto from = flows.begin() + static_cast<std::ptrdiff_t>(first_);
  const std::size_t count = std::min(room, flows.size() - first_);
  std::string body = rows({from, from + static_cast<std::ptrdiff_t>(count)}, screen);
  std::string out(kHome);
  add_line(out, head(flows.size(), screen), screen);
  if (height > 2) {
    const std::size_t title = body.find('\n');
    out += kInverse;
    add_line(out, body.substr(0, title), screen);
    out += kPlain;
    for (std::size_t at = title + 1; at < body.size();) {
      const std::size_t end = body.find('\n', at);
      add_line(out, body.substr(at, end - at), screen);
      at = end + 1;
    }
  }
  out += kClearBelow;
  // The last line has no line break: the terminal would move the screen up.
  if (height > 1)
    out += "\x1b[" + std::to_string(height) + ";1H" +
           (screen.width == 0 ? foot(screen) : truncate(foot(screen), screen.width)) +
           std::string(kClearLineEnd);
  return out;
}

std::string TopView::table(const Screen& screen) const {
  const std::vector<const pb::Flow*> flows = sorted();
  return rows(flows, screen) + head(flows.size(), screen) + "\n";
}

}  // namespace sluice::cli
