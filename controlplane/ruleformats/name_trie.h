// ruleformats/name_trie.h - the byte trie of reversed names that mrs and srs files hold.
//
//   names a.x, b.x      node   0 --x--> 1 --.--> 2 --a--> 3 (leaf)
//                                                  \-b--> 4 (leaf)
//   labels   x . a b          the byte that leads to node 1, 2, 3, 4: nodes are numbered by breadth
//   bitmap   01 01 001 1 1    per node a 0 for each child, then a 1
//   leaves   00011            bit i: a name ends at node i
//
// Bit i of a bitmap is bit i mod 64, low first, of its word i / 64; words are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/refusal.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// A checked trie over bytes that outlive it. Beside them it keeps 4 bytes a node.
class NameTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  /// Longest key that is told; longer ones are no names.
  static constexpr std::size_t kMaxKey = 512;

  /// `leaves` and `bitmap` are whole words. Accepts only a tree: every node but the root is the
  /// child of exactly one lower node. `offset` is where the trie starts, for refusals.
  /// Errors: malformed, too_large (more nodes than 32 bits count).
  static Outcome<NameTrie> open(ByteView leaves, ByteView bitmap, ByteView labels,
                                std::uint64_t offset);

  [[nodiscard]] Node node_count() const noexcept { return static_cast<Node>(parents_.size()); }
  [[nodiscard]] bool is_leaf(Node node) const noexcept;
  /// Needs node != kRoot.
  [[nodiscard]] Node parent(Node node) const noexcept { return parents_[node]; }
  [[nodiscard]] char label(Node node) const noexcept {
    return static_cast<char>(labels_[node - 1]);
  }
  /// The name that ends at `node`, in reading order. False when it is longer than kMaxKey: then
  /// `out` holds its start.
  [[nodiscard]] bool key(Node node, std::string& out) const;

 private:
  [[nodiscard]] bool link_children(ByteView bitmap);

  ByteView leaves_;
  ByteView labels_;
  std::vector<Node> parents_;
};

/// Builds the three parts. Owner: one; the parts are taken once.
class NameTrieBuilder {
 public:
  struct Parts {
    std::vector<std::uint64_t> leaves;
    std::vector<std::uint64_t> bitmap;
    std::vector<std::byte> labels;
  };

  /// Names in reading order; the same name twice counts once.
  void add(std::string_view name);
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] Parts finish();

 private:
  [[nodiscard]] std::vector<std::string_view> sorted_keys() const;

  std::string bytes_;  // reversed names, one after the other
  std::vector<std::size_t> ends_;
};

/// Appends `name` reversed by characters: UTF-8 sequences keep the order of their bytes.
void append_reversed(std::string_view name, std::string& out);

}  // namespace sluice::ruleformats
