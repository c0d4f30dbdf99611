// model/tree.h - a configuration text as a plain tree with positions: what a reader of some syntax
// (YAML today) hands to this room.
//
//   Document ── owns ──> arena of texts and nodes
//      root ─> Node mapping ─ members ─> {key, line, column, value ─> Node}
//                                              Node sequence ─ items ─> Node, Node …
//                                              Node scalar   ─ text, quoted
//
// A scalar keeps its text as written, whatever type it looks like: `short-id: 2351e1` is "2351e1".
// Anchors and merge keys are already expanded; an alias shares the anchored node, so the same Node
// may be reached on several ways and its position is where it was written.
//
// Immutable once built; any thread may read. Nodes and texts live as long as their Document.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/diagnostic.h"

namespace sluice::model {

struct Member;

struct Node {
  enum class Kind : std::uint8_t { scalar, sequence, mapping };

  Kind kind = Kind::scalar;
  bool quoted = false;  ///< scalars: written in quotes, as a block, or tagged !!str
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string_view text;               ///< scalars: as written, escapes decoded
  std::span<const Node* const> items;  ///< sequences
  std::span<const Member> members;     ///< mappings: file order, keys unique

  [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::scalar; }
  [[nodiscard]] bool is_sequence() const noexcept { return kind == Kind::sequence; }
  [[nodiscard]] bool is_mapping() const noexcept { return kind == Kind::mapping; }
  /// A value that was left out: `key:`, `key: ~` or `key: null`.
  [[nodiscard]] bool is_null() const noexcept {
    return is_scalar() && !quoted &&
           (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
  }
  [[nodiscard]] Position position() const noexcept { return {line, column}; }
  /// The member with that key, or nullptr. Linear: mappings that are searched are short.
  [[nodiscard]] const Member* find(std::string_view key) const noexcept;
};

struct Member {
  std::string_view key;
  std::uint32_t line = 0;  ///< of the key
  std::uint32_t column = 0;
  const Node* value = nullptr;  ///< never null
  [[nodiscard]] Position position() const noexcept { return {line, column}; }
};

/// Owns every node and text of one tree. Movable: nodes do not move with it.
class Document {
 public:
  Document() = default;
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document() = default;

  /// nullptr when the text holds nothing (empty, or comments only).
  [[nodiscard]] const Node* root() const noexcept { return root_; }

  // For the reader of a syntax, while it builds.
  void set_root(const Node* root) noexcept { root_ = root; }
  std::string_view keep(std::string_view text);
  const Node* add(const Node& node);
  std::span<const Node* const> keep(std::vector<const Node*> items);
  std::span<const Member> keep(std::vector<Member> members);

 private:
  std::deque<std::string> texts_;  // deques: references stay good while they grow
  std::deque<Node> nodes_;
  std::deque<std::vector<const Node*>> items_;
  std::deque<std::vector<Member>> members_;
  const Node* root_ = nullptr;
};

}  // namespace sluice::model
