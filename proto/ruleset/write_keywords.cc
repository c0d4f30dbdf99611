// Builds the automaton; the layout is drawn in keyword_index.h.
#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/section_writer.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {
namespace {

struct TrieNode {
  std::map<std::uint8_t, std::uint32_t> children;  // by class: ascending, as the bit map counts
  std::vector<std::uint32_t> refs;
};

struct State {
  std::uint64_t children = 0;
  std::uint32_t first_child = 0, fail = 0, list = kNone, report = kNone;
  std::uint32_t trie = 0;
};

class Automaton {
 public:
  /// Records sorted by text.
  Automaton(const std::vector<TextRecord>& records, const RefTable& refs) : trie_(1) {
    classes_.fill(KeywordIndex::kNoClass);
    std::uint8_t used = 0;
    for (const TextRecord& record : records)
      for (const char c : record.text) {
        auto& byte_class = classes_[static_cast<unsigned char>(c)];
        if (byte_class == KeywordIndex::kNoClass) byte_class = used++;
      }
    for (std::size_t i = 0; i < records.size();) {
      std::size_t end = i + 1;
      while (end < records.size() && records[end].text == records[i].text) ++end;
      insert(records[i].text, merged_refs(records.data() + i, records.data() + end, refs));
      i = end;
    }
    number();
    link();
  }

  [[nodiscard]] SectionBytes write() const {
    SectionWriter out;
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
  void insert(std::string_view keyword, std::vector<std::uint32_t> refs) {
    std::uint32_t at = 0;
    for (const char c : keyword) {
      const std::uint8_t byte_class = classes_[static_cast<unsigned char>(c)];
      const auto next = static_cast<std::uint32_t>(trie_.size());
      const auto [child, added] = trie_[at].children.emplace(byte_class, next);
      at = child->second;
      if (added) trie_.emplace_back();
    }
    smallest_ = std::min(smallest_, refs.front());
    trie_[at].refs = std::move(refs);
  }

  /// Breadth first: a state's children get the next free numbers, in the order of their classes.
  void number() {
    states_.push_back({});
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const TrieNode& node = trie_[states_[i].trie];
      states_[i].first_child = static_cast<std::uint32_t>(states_.size());
      for (const auto& [byte_class, child] : node.children) {
        states_[i].children |= 1ULL << byte_class;
        State next;
        next.trie = child;
        states_.push_back(next);
      }
      if (!node.refs.empty()) states_[i].list = lists_.add(node.refs);
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
        State& c = states_[child];
        c.fail = s == 0 ? 0 : step(states_[s].fail, byte_class);
        c.report = states_[c.fail].list != kNone ? c.fail : states_[c.fail].report;
      }
    }
  }

  std::array<std::uint8_t, 256> classes_{};
  std::vector<TrieNode> trie_;
  std::vector<State> states_;
  ListPool lists_;
  std::uint32_t smallest_ = kNone;
};

}  // namespace

SectionBytes write_keywords(std::vector<TextRecord> records, const RefTable& refs) {
  if (records.empty()) return {};
  std::ranges::sort(records, {}, &TextRecord::text);
  return Automaton(records, refs).write();
}

}  // namespace sluice::ruleset
