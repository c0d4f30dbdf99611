// Builds the automaton; the layout is drawn in keyword_index.h.
#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "proto/common/name.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {
namespace {

/// A byte may stand in a name or is the dot between labels.
bool can_match(std::string_view keyword) {
  if (keyword.empty() || keyword.size() > KeywordIndex::kMaxDepth) return false;
  return std::ranges::all_of(keyword, [](char c) {
    const char one[2] = {c, '\0'};
    return c == '.' || is_normal_name({one, 1});
  });
}

struct TrieNode {
  std::map<std::uint8_t, std::uint32_t> children;  // by class: ascending, as the bit map counts
  std::vector<std::uint32_t> positions;
};

struct State {
  std::uint64_t children = 0;
  std::uint32_t first_child = 0, fail = 0, list = kNone, report = kNone;
  std::uint32_t trie = 0;
};

class Automaton {
 public:
  explicit Automaton(const std::vector<Builder::KeywordLine>& lines) : trie_(1) {
    classes_.fill(KeywordIndex::kNoClass);
    std::uint8_t used = 0;
    for (const auto& line : lines)
      for (const char c : line.keyword) {
        auto& byte_class = classes_[static_cast<unsigned char>(c)];
        if (byte_class == KeywordIndex::kNoClass) byte_class = used++;
      }
    for (const auto& line : lines) insert(line);
    number();
    link();
  }

  [[nodiscard]] std::vector<std::byte> write() const {
    SectionWriter out;
    out.u32(static_cast<std::uint32_t>(states_.size()));
    out.u32(static_cast<std::uint32_t>(lists_.size()));
    for (const std::uint8_t byte_class : classes_) out.u8(byte_class);
    for (const State& s : states_) {
      out.u64(s.children);
      out.u32(s.first_child);
      out.u32(s.fail);
      out.u32(s.list);
      out.u32(s.report);
    }
    out.words(lists_);
    return std::move(out).take();
  }

 private:
  void insert(const Builder::KeywordLine& line) {
    std::uint32_t at = 0;
    for (const char c : line.keyword) {
      const std::uint8_t byte_class = classes_[static_cast<unsigned char>(c)];
      const auto next = static_cast<std::uint32_t>(trie_.size());
      const auto [child, added] = trie_[at].children.emplace(byte_class, next);
      at = child->second;
      if (added) trie_.emplace_back();
    }
    trie_[at].positions.push_back(line.position);
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
      if (node.positions.empty()) continue;
      states_[i].list = static_cast<std::uint32_t>(lists_.size());
      lists_.push_back(static_cast<std::uint32_t>(node.positions.size()));
      lists_.insert(lists_.end(), node.positions.begin(), node.positions.end());
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
  std::vector<std::uint32_t> lists_;
};

}  // namespace

SectionBytes write_keywords(std::vector<Builder::KeywordLine> lines) {
  std::erase_if(lines, [](const auto& line) { return !can_match(line.keyword); });
  if (lines.empty()) return {};
  // Lines come in the order of their positions, so the lists ascend.
  return {Automaton(lines).write(), lines.front().position};
}

}  // namespace sluice::ruleset
