// Builds the automaton; the layout is drawn in keyword_index.h.
#include <algorithm>
#include <array>
#include <bit>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/section_writer.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {
namespace {

/// Lists of at most so many refs take in those of the keywords that end at the same place.
constexpr std::size_t kMerged_refs = 8;

struct State {
  std::uint64_t children = 0;
  std::uint32_t first_child = 0, fail = 0, list = kNone, report = kNone;
};

/// The keywords below a state: records that begin with the same `depth` bytes.
struct Subtree {
  std::uint32_t first, last;
  std::uint32_t depth;
};

/// Bytes that `b` does not share with `a`, which stands before it in the order.
std::size_t new_bytes(std::string_view a, std::string_view b) {
  const auto differ = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(b.end() - differ.in2);
}

class Automaton {
 public:
  /// Records sorted by text. They are the tree: a state is a run of them.
  Automaton(const std::vector<TextRecord>& records, const RefTable& refs)
      : records_(records), refs_(refs) {
    classes_.fill(KeywordIndex::kNoClass);
    for (const TextRecord& record : records)
      for (const char c : record.text) classes_[static_cast<unsigned char>(c)] = 0;
    std::uint8_t used = 0;  // in the order of bytes, as the records are
    for (std::uint8_t& byte_class : classes_)
      if (byte_class != KeywordIndex::kNoClass) byte_class = used++;
    grow();
    link();
  }

  [[nodiscard]] SectionBytes write() const {
    SectionWriter out;
    out.reserve(264 + KeywordIndex::kState_bytes * states_.size() + 4 * lists_.words().size());
    out.u32(static_cast<std::uint32_t>(states_.size()));
    out.u32(static_cast<std::uint32_t>(lists_.words().size()));
    for (const std::uint8_t byte_class : classes_) out.u8(byte_class);
    for (const State& s : states_) {
      out.u64(s.children);
      out.u32(s.first_child);
      out.u32(s.fail);
      out.u32(s.list);
      out.u32(s.report);
    }
    out.words(lists_.words());
    return {std::move(out).take(), smallest_};
  }

 private:
  /// Breadth first: a state's children get the next free numbers, in the order of their classes.
  void grow() {
    states_.push_back({});
    std::vector<Subtree> level{{0, static_cast<std::uint32_t>(records_.size()), 0}};
    std::vector<Subtree> next;
    for (std::uint32_t s = 0; !level.empty(); level.swap(next), next.clear())
      for (const Subtree& subtree : level) grow_one(s++, subtree, next);
  }

  void grow_one(std::uint32_t state, const Subtree& subtree, std::vector<Subtree>& next) {
    auto [at, last, depth] = subtree;
    std::uint32_t ends = at;  // the keyword that ends here stands first
    while (ends < last && records_[ends].text.size() == depth) ++ends;
    if (ends > at) {
      const auto refs = merged_refs(records_.data() + at, records_.data() + ends, refs_);
      smallest_ = std::min(smallest_, refs.front());
      states_[state].list = lists_.add(refs);
    }
    states_[state].first_child = static_cast<std::uint32_t>(states_.size());
    for (at = ends; at < last;) {
      const char c = records_[at].text[depth];
      std::uint32_t end = at + 1;
      while (end < last && records_[end].text[depth] == c) ++end;
      states_[state].children |= 1ULL << classes_[static_cast<unsigned char>(c)];
      states_.push_back({});
      next.push_back({at, end, depth + 1});
      at = end;
    }
  }

  [[nodiscard]] std::uint32_t step(std::uint32_t from, unsigned byte_class) const {
    const std::uint64_t bit = 1ULL << byte_class;
    while ((states_[from].children & bit) == 0) {
      if (from == 0) return 0;
      from = states_[from].fail;
    }
    const auto below =
        static_cast<std::uint32_t>(std::popcount(states_[from].children & (bit - 1)));
    return states_[from].first_child + below;
  }

  void link() {
    for (std::uint32_t s = 0; s < states_.size(); ++s) {
      std::uint32_t child = states_[s].first_child;
      for (std::uint64_t rest = states_[s].children; rest != 0; rest &= rest - 1, ++child) {
        const auto byte_class = static_cast<unsigned>(std::countr_zero(rest));
        states_[child].fail = s == 0 ? 0 : step(states_[s].fail, byte_class);
        report(states_[child]);
      }
    }
  }

  /// What ends with a state are its own keyword and what ends with the failure state, which has
  /// been through here.
  void report(State& state) {
    const State& fail = states_[state.fail];
    if (state.list == kNone) {
      state.list = fail.list;
      state.report = fail.report;
      return;
    }
    if (fail.list == kNone) return;
    state.report = state.fail;
    merged_.clear();
    for (const std::uint32_t list : {state.list, fail.list}) {
      const auto refs = lists_.refs(list);
      merged_.insert(merged_.end(), refs.begin(), refs.end());
    }
    std::ranges::sort(merged_);
    merged_.erase(std::ranges::unique(merged_).begin(), merged_.end());
    if (merged_.size() > std::max(kMerged_refs, lists_.refs(state.list).size())) return;
    state.list = lists_.add(merged_);
    state.report = fail.report;
  }

  const std::vector<TextRecord>& records_;
  const RefTable& refs_;
  std::array<std::uint8_t, 256> classes_{};
  std::vector<State> states_;
  ListPool lists_;
  std::vector<std::uint32_t> merged_;
  std::uint32_t smallest_ = kNone;
};

}  // namespace

SectionBytes write_keywords(std::vector<TextRecord> records, const RefTable& refs,
                            LeftOut& left_out) {
  std::ranges::sort(records, {}, &TextRecord::text);
  std::size_t states = 1;
  std::string_view last;
  std::erase_if(records, [&](const TextRecord& record) {
    const std::size_t more = new_bytes(last, record.text);
    if (states + more > kMaxKeyword_states) {
      left_out.add(record.text);
      return true;
    }
    states += more;
    last = record.text;
    return false;
  });
  return records.empty() ? SectionBytes{} : Automaton(records, refs).write();
}

}  // namespace sluice::ruleset
