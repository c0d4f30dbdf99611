// ruleformats/trie_names.h - the names of a trie in the forms that name sets store them in.
//
// A set that holds x and all below it has two keys: x itself and M.x, where M is a marker byte (mrs
// `+`, srs `\r`). Both together are told once, as a suffix; M.x alone as what lies below x.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/entries.h"
#include "controlplane/ruleformats/name_trie.h"

namespace sluice::ruleformats {

/// Beside the trie it keeps a bit a node. `trie` outlives it.
class TrieNames {
 public:
  TrieNames(const NameTrie& trie, char marker);

  /// False at the end.
  bool next();
  /// exact, suffix or below.
  [[nodiscard]] NameKind kind() const noexcept { return kind_; }
  /// The name without marker, cut off at NameTrie::kMaxKey. Unchecked bytes.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

 private:
  [[nodiscard]] bool is_marked(NameTrie::Node node) const noexcept;
  [[nodiscard]] NameTrie::Node apex(NameTrie::Node node) const noexcept;

  const NameTrie& trie_;
  char marker_;
  std::vector<bool> covered_;  // exact names whose marked key tells them
  NameTrie::Node node_ = 0;
  NameKind kind_ = NameKind::exact;
  std::string key_;
  std::string_view name_;
};

}  // namespace sluice::ruleformats
