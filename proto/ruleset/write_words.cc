// Word indexes and plain lists.
#include <algorithm>

#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/section_writer.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {

SectionBytes write_words(std::vector<TextRecord> records, const RefTable& refs) {
  if (records.empty()) return {};
  std::ranges::sort(records, {}, &TextRecord::text);
  std::uint32_t smallest = kNone;
  std::vector<std::uint32_t> entries;
  ListPool lists;
  std::string pool;
  for (std::size_t i = 0; i < records.size();) {
    std::size_t end = i + 1;
    while (end < records.size() && records[end].text == records[i].text) ++end;
    const auto list = merged_refs(records.data() + i, records.data() + end, refs);
    smallest = std::min(smallest, list.front());
    entries.push_back(static_cast<std::uint32_t>(pool.size()));
    entries.push_back(lists.add(list));
    pool += static_cast<char>(records[i].text.size());
    pool += records[i].text;
    i = end;
  }
  SectionWriter out;
  out.u32(static_cast<std::uint32_t>(entries.size() / 2));
  out.u32(static_cast<std::uint32_t>(lists.words().size()));
  out.u32(static_cast<std::uint32_t>(pool.size()));
  out.words(entries);
  out.words(lists.words());
  out.text(pool);
  return {std::move(out).take(), smallest};
}

SectionBytes write_list(std::vector<std::uint32_t> refs) {
  if (refs.empty()) return {};
  std::ranges::sort(refs);
  refs.erase(std::ranges::unique(refs).begin(), refs.end());
  SectionWriter out;
  out.words(refs);
  return {std::move(out).take(), refs.front()};
}

}  // namespace sluice::ruleset
