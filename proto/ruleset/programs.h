// ruleset/programs.h - the conditions of positions and of parts of sets, as trees written in order.
//
//   AND( suffix, NOT( port ) )     node:   all    suffix   negate   port
//                                  arg:    3               1              nodes below it
//
// A branch is followed by its children, each with all of its own: a false child of AND is skipped
// by its length, and a tree cannot hold a cycle. A leaf's argument is a number, or the place of its
// text in the pool. Thread: immutable view; the block must outlive it.
#pragma once

#include <expected>
#include <string_view>

#include "proto/common/address.h"
#include "proto/ruleset/format.h"
#include "proto/ruleset/op.h"

namespace sluice::ruleset {

/// One operation. What `flags`, `extra` and `arg` mean for each is in docs/formats/ruleset.md.
struct Node {
  inline static constexpr std::uint32_t kBytes = 8;
  inline static constexpr std::uint8_t kResolve = 1;  ///< flag: asks for an address
  inline static constexpr std::uint8_t kWide = 2;     ///< flag: an IPv6 address
  Op op = Op::never;
  std::uint8_t flags = 0;
  std::uint16_t extra = 0;
  std::uint32_t arg = 0;
};

class Programs {
 public:
  /// What the numbers in nodes must stay below.
  struct Bounds {
    std::uint32_t sets, patterns, zones;
  };

  Programs() noexcept = default;
  /// Checks that every program is one whole tree within kMaxDepth and kMaxProgram_nodes, and every
  /// argument.
  static std::expected<Programs, Invalid> open(ByteView section, std::size_t offset,
                                               std::uint32_t ref_count);
  /// The arguments that name sets, patterns and zones; those sections come later in the block.
  [[nodiscard]] bool names_only(const Bounds& bounds) const noexcept;

  /// First node of the condition of a ref; kNone when it has none.
  [[nodiscard]] std::uint32_t root(std::uint32_t ref) const noexcept {
    const std::uint32_t number = number_of(ref);
    return number == kNone ? kNone : roots_[number];
  }
  [[nodiscard]] bool empty() const noexcept { return block_count_ == 0; }
  /// Whether any condition has such a node; walks through all of them.
  [[nodiscard]] bool uses(Op op) const noexcept;
  /// Calls `look` with every node of the condition of a ref.
  template <class Look>
  void each_node(std::uint32_t ref, Look look) const {
    const std::uint32_t number = number_of(ref);
    if (number == kNone) return;
    for (std::uint32_t at = roots_[number]; at < roots_[number + 1]; ++at) look(node(at));
  }
  /// Needs a node that exists.
  [[nodiscard]] Node node(std::uint32_t index) const noexcept {
    const std::byte* const at = nodes_ + Node::kBytes * static_cast<std::size_t>(index);
    return {static_cast<Op>(std::to_integer<std::uint8_t>(at[0])),
            std::to_integer<std::uint8_t>(at[1]), load_u16(at + 2), load_u32(at + 4)};
  }
  /// The text of a leaf that has one.
  [[nodiscard]] std::string_view text(const Node& leaf) const noexcept {
    return as_text(pool_.subspan(leaf.arg, leaf.extra));
  }
  /// The address of an address leaf; `extra` bits of it count.
  [[nodiscard]] IpAddress address(const Node& leaf) const noexcept {
    if ((leaf.flags & Node::kWide) == 0) return IpAddress::v4(leaf.arg);
    return IpAddress::from_bytes(pool_.subspan(leaf.arg, 16));
  }
  /// First and last of a uid leaf.
  [[nodiscard]] std::uint32_t word(const Node& leaf, std::size_t index) const noexcept {
    return load_u32(pool_.data() + leaf.arg + 4 * index);
  }

 private:
  /// Its place among the programs; kNone when it has none.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t ref) const noexcept {
    const std::uint32_t block = ref / 64;
    if (block >= block_count_) return kNone;
    const std::uint64_t bits = load_u64(bits_ + 8 * static_cast<std::size_t>(block));
    const std::uint64_t bit = 1ULL << (ref % 64);
    if ((bits & bit) == 0) return kNone;
    return before_[block] + static_cast<std::uint32_t>(__builtin_popcountll(bits & (bit - 1)));
  }
  [[nodiscard]] const char* check_roots(std::uint32_t ref_count) const;
  [[nodiscard]] const char* check_tree(std::uint32_t first, std::uint32_t end) const;
  [[nodiscard]] const char* check_leaf(const Node& leaf) const noexcept;

  std::uint32_t block_count_ = 0;  // of 64 refs
  std::uint32_t program_count_ = 0;
  std::uint32_t node_count_ = 0;
  const std::byte* bits_ = nullptr;  // u64 per block: which refs have a program
  Words before_;                     // programs before each block
  Words roots_;                      // first node of each program, and the end of the last
  const std::byte* nodes_ = nullptr;
  ByteView pool_;
};

}  // namespace sluice::ruleset
