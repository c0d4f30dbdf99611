#include "controlplane/ruleformats/text_list.h"

#include "controlplane/ruleformats/item.h"
#include "controlplane/ruleformats/lines.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {

Outcome<Tally> read_text_list(ByteView file, Behavior behavior, const Bounds& bounds, Entries& to) {
  const auto text = open_text(file, bounds);
  if (!text) return std::unexpected(text.error());
  Feed feed(to, bounds);
  Lines lines(*text);
  while (!feed.full() && lines.next()) {
    const std::string_view item = trim(lines.text());
    if (item.empty() || item.starts_with('#') || item.starts_with("//")) continue;
    const auto column = static_cast<std::uint32_t>(item.data() - lines.text().data()) + 1;
    feed_item(behavior, item, {feed.next_entry(), lines.number(), column}, feed);
  }
  return feed.finish();
}

}  // namespace sluice::ruleformats
