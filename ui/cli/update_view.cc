#include "ui/cli/update_view.h"

#include <algorithm>
#include <string_view>

#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kClearLineEnd = "\x1b[K";

const char* word_of(pb::RefreshState state) {
  switch (state) {
    case pb::REFRESH_UPDATED:
      return "updated";
    case pb::REFRESH_NOT_MODIFIED:
      return "not modified";
    case pb::REFRESH_FAILED:
      return "failed";
    default:
      return "running";
  }
}

std::string state_text(const pb::RuleProviderUpdate& provider) {
  std::string out = word_of(provider.state());
  if (provider.state() == pb::REFRESH_FAILED) return out + ": " + provider.reason();
  if (provider.state() == pb::REFRESH_NOT_MODIFIED) return out;
  if (provider.received() > 0) out += ", " + human_bytes(provider.received());
  if (!provider.reason().empty()) return out + "; " + provider.reason();
  if (provider.state() == pb::REFRESH_RUNNING && provider.total() > 0)
    out += " of " + human_bytes(provider.total());
  return out;
}

std::string line_of(const pb::RuleProviderUpdate& provider, std::size_t name_width) {
  const std::string name = printable(provider.name());
  const std::size_t width = std::max(name_width, text_width(name));
  return name + std::string(width - text_width(name) + 2, ' ') + printable(state_text(provider));
}

}  // namespace

void UpdateView::take(const pb::RuleProviderUpdates& news) {
  for (const pb::RuleProviderUpdate& one : news.updates()) {
    any_failed_ = any_failed_ || one.state() == pb::REFRESH_FAILED;
    const auto known = std::ranges::find_if(
        providers_, [&](const pb::RuleProviderUpdate& p) { return p.name() == one.name(); });
    if (known == providers_.end())
      providers_.push_back(one);
    else
      *known = one;
  }
}

std::string UpdateView::paint(const pb::RuleProviderUpdates& news, std::size_t width) {
  take(news);
  std::size_t name_width = 0;
  for (const pb::RuleProviderUpdate& provider : providers_)
    name_width = std::max(name_width, text_width(printable(provider.name())));
  std::string out;
  if (painted_ > 0) out = "\x1b[" + std::to_string(painted_) + "A";
  for (const pb::RuleProviderUpdate& provider : providers_) {
    const std::string line = line_of(provider, name_width);
    out.append("\r").append(width == 0 ? line : truncate(line, width));
    out.append(kClearLineEnd).append("\n");
  }
  painted_ = providers_.size();
  return out;
}

std::string UpdateView::report(const pb::RuleProviderUpdates& news) {
  take(news);
  std::string out;
  for (const pb::RuleProviderUpdate& one : news.updates())
    if (one.state() != pb::REFRESH_RUNNING) out += line_of(one, 0) + "\n";
  return out;
}

std::string UpdateView::json(const pb::RuleProviderUpdates& news) {
  take(news);
  std::string out;
  for (const pb::RuleProviderUpdate& one : news.updates()) {
    JsonWriter w;
    w.object([&] {
      w.key("name").text(one.name());
      w.key("state").text(word_of(one.state()));
      w.key("received").number(one.received());
      w.key("total").number(one.total());
      w.key("reason").text(one.reason());
    });
    out += w.str() + "\n";
  }
  return out;
}

}  // namespace sluice::cli
