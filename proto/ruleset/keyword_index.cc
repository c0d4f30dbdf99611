#include "proto/ruleset/keyword_index.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {

std::expected<KeywordIndex, Invalid> KeywordIndex::open(ByteView section, std::size_t offset,
                                                        std::uint32_t bound) {
  KeywordIndex out;
  SectionReader in(section);
  out.state_count_ = in.u32();
  const std::uint32_t list_words = in.u32();
  out.classes_ = in.array(256, 1).data();
  out.states_ = in.array(out.state_count_, kState_bytes).data();
  out.lists_ = in.words(list_words);
  if (!in.complete() || out.state_count_ < 2)
    return std::unexpected(Invalid{"keyword index: arrays do not fill the section", offset});
  for (std::size_t i = 0; i < 256; ++i)
    if (std::to_integer<std::uint8_t>(out.classes_[i]) > kNoClass)
      return std::unexpected(Invalid{"keyword index: an impossible byte class", offset});
  const auto lists = ListStarts::check(out.lists_, bound);
  const char* wrong = lists ? out.check_states(*lists) : "keyword index: a list is out of order";
  if (wrong != nullptr) return std::unexpected(Invalid{wrong, offset});
  return out;
}

/// Children lie breadth first and fill the table exactly; links lead to smaller depths, so that
/// walking them ends within the depth of a state.
const char* KeywordIndex::check_states(const ListStarts& lists) {
  std::vector<std::uint8_t> depth(state_count_);
  std::uint32_t placed = 1;  // the root
  for (std::uint32_t s = 0; s < state_count_; ++s) {
    if (s >= placed) return "keyword index: a state without a parent";
    const State here = state(s);
    const auto children = static_cast<std::uint32_t>(std::popcount(here.children));
    if (here.first_child != placed || children > state_count_ - placed)
      return "keyword index: children are out of place";
    if ((here.children >> kClasses) != 0) return "keyword index: an impossible child";
    if (children > 0 && depth[s] >= kMaxDepth) return "keyword index: a keyword is too long";
    for (std::uint32_t i = 0; i < children; ++i)
      depth[placed + i] = static_cast<std::uint8_t>(depth[s] + 1);
    placed += children;
    if (s == 0 ? here.fail != 0 : (here.fail >= s || depth[here.fail] >= depth[s]))
      return "keyword index: a failure link that does not lead back";
    if (here.report != kNone) {
      if (here.list == kNone || here.report >= s || depth[here.report] >= depth[s] ||
          state(here.report).list == kNone)
        return "keyword index: a report link that does not lead back";
    }
    if (here.list == kNone) continue;
    if (s == 0) return "keyword index: an empty keyword";
    if (!lists.is_list(here.list)) return "keyword index: a list out of bounds";
    first_ref_ = std::min(first_ref_, lists_[here.list + 1]);
  }
  return first_ref_ == kNone ? "keyword index: no keyword" : nullptr;
}

KeywordIndex::State KeywordIndex::state(std::uint32_t index) const noexcept {
  const std::byte* const at = states_ + kState_bytes * index;
  return {load_u64(at), load_u32(at + 8), load_u32(at + 12), load_u32(at + 16), load_u32(at + 20)};
}

std::uint32_t KeywordIndex::step(std::uint32_t from, std::uint8_t byte_class) const noexcept {
  const std::uint64_t bit = 1ULL << byte_class;
  while (true) {
    const std::byte* const at = states_ + kState_bytes * from;
    const std::uint64_t children = load_u64(at);
    if ((children & bit) != 0)
      return load_u32(at + 8) + static_cast<std::uint32_t>(std::popcount(children & (bit - 1)));
    if (from == 0) return 0;
    from = load_u32(at + 12);
  }
}

/// Calls report(list) for the lists of all keywords that end anywhere in `name`.
template <class Report>
void KeywordIndex::walk(std::string_view name, Report report) const noexcept {
  std::uint32_t at = 0;
  for (const char c : name) {
    const auto byte_class = std::to_integer<std::uint8_t>(classes_[static_cast<unsigned char>(c)]);
    at = byte_class == kNoClass ? 0 : step(at, byte_class);
    if (at == 0) continue;
    const std::byte* const here = states_ + kState_bytes * static_cast<std::size_t>(at);
    const std::uint32_t list = load_u32(here + 16);
    if (list == kNone) continue;
    report(list);
    for (std::uint32_t more = load_u32(here + 20); more != kNone;) {
      const State s = state(more);
      report(s.list);
      more = s.report;
    }
  }
}

void KeywordIndex::find(std::string_view name, Found& out) const noexcept {
  out.count = 0;
  out.more = false;
  if (state_count_ == 0) return;
  walk(name, [&out](std::uint32_t list) {
    for (std::uint32_t i = 0; i < out.count; ++i)
      if (out.lists[i] == list) return;
    if (out.count == Found::kMost)
      out.more = true;
    else
      out.lists[out.count++] = list;
  });
}

std::uint32_t KeywordIndex::next(const Found& found, std::string_view name,
                                 std::uint32_t from) const noexcept {
  std::uint32_t best = kNone;
  if (found.more) {
    walk(name,
         [&](std::uint32_t list) { best = std::min(best, first_in_list(lists_, list, from)); });
    return best;
  }
  for (std::uint32_t i = 0; i < found.count; ++i)
    best = std::min(best, first_in_list(lists_, found.lists[i], from));
  return best;
}

}  // namespace sluice::ruleset
