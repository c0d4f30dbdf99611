#include "controlplane/ruleformats/trie_names.h"

namespace sluice::ruleformats {

TrieNames::TrieNames(const NameTrie& trie, char marker)
    : trie_(trie), marker_(marker), covered_(trie.node_count()) {
  for (NameTrie::Node node = 1; node < trie_.node_count(); ++node)
    if (is_marked(node) && trie_.is_leaf(apex(node))) covered_[apex(node)] = true;
}

/// Its key reads "M.x": the two last bytes on the way to the leaf are the dot and the marker.
bool TrieNames::is_marked(NameTrie::Node node) const noexcept {
  if (!trie_.is_leaf(node) || trie_.label(node) != marker_) return false;
  const NameTrie::Node dot = trie_.parent(node);
  return dot != NameTrie::kRoot && trie_.label(dot) == '.';
}

NameTrie::Node TrieNames::apex(NameTrie::Node node) const noexcept {
  return trie_.parent(trie_.parent(node));
}

bool TrieNames::next() {
  while (++node_ < trie_.node_count()) {
    if (!trie_.is_leaf(node_) || covered_[node_]) continue;
    static_cast<void>(trie_.key(node_, key_));  // one that is cut off is too long for a name still
    name_ = key_;
    kind_ = NameKind::exact;
    if (is_marked(node_)) {
      kind_ = covered_[apex(node_)] ? NameKind::suffix : NameKind::below;
      name_.remove_prefix(2);
    }
    return true;
  }
  return false;
}

}  // namespace sluice::ruleformats
