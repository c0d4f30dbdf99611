#include "proto/ruleset/programs.h"

#include <array>
#include <bit>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_reader.h"
#include "proto/ruleset/word_index.h"

namespace sluice::ruleset {
namespace {

bool is_branch(Op op) noexcept {
  return op == Op::all || op == Op::any || op == Op::negate;
}

bool has_text(Op op) noexcept {
  switch (op) {
    case Op::domain:
    case Op::domain_suffix:
    case Op::domain_below:
    case Op::domain_child:
    case Op::domain_labels:
    case Op::domain_keyword:
    case Op::domain_wildcard:
    case Op::user:
    case Op::inbound_name:
    case Op::rematch_name:
    case Op::process_name:
    case Op::process_path:
    case Op::process_name_wildcard:
    case Op::process_path_wildcard:
      return true;
    default:
      return false;
  }
}

std::size_t longest(Op op) noexcept {
  const bool word = op == Op::user || op == Op::inbound_name || op == Op::rematch_name;
  return word ? WordIndex::kMaxWord_bytes : kMaxText_bytes;
}

bool names_pattern(Op op) noexcept {
  return op == Op::domain_regex || op == Op::process_name_regex || op == Op::process_path_regex;
}

}  // namespace

std::expected<Programs, Invalid> Programs::open(ByteView section, std::size_t offset,
                                                std::uint32_t ref_count) {
  const auto refuse = [offset](std::string_view why) {
    return std::unexpected(Invalid{why, offset});
  };
  Programs out;
  SectionReader in(section);
  out.block_count_ = in.u32();
  out.program_count_ = in.u32();
  out.node_count_ = in.u32();
  const std::uint32_t pool_size = in.u32();
  if (out.block_count_ != (ref_count + 63) / 64 || out.program_count_ == 0 ||
      out.program_count_ > ref_count)
    return refuse("programs: impossible counts");
  out.bits_ = in.array(out.block_count_, 8).data();
  out.before_ = in.words(out.block_count_);
  out.roots_ = in.words(out.program_count_ + 1);
  out.nodes_ = in.array(out.node_count_, Node::kBytes).data();
  out.pool_ = in.array(pool_size, 1);
  if (!in.complete()) return refuse("programs: arrays do not fill the section");
  if (const char* wrong = out.check_roots(ref_count)) return refuse(wrong);
  for (std::uint32_t i = 0; i < out.program_count_; ++i)
    if (const char* wrong = out.check_tree(out.roots_[i], out.roots_[i + 1])) return refuse(wrong);
  return out;
}

const char* Programs::check_roots(std::uint32_t ref_count) const {
  std::uint32_t programs = 0;
  for (std::uint32_t b = 0; b < block_count_; ++b) {
    if (before_[b] != programs) return "programs: a wrong count of programs";
    const std::uint64_t bits = load_u64(bits_ + 8 * static_cast<std::size_t>(b));
    const bool last = b + 1 == block_count_;
    if (last && ref_count % 64 != 0 && (bits >> (ref_count % 64)) != 0)
      return "programs: a program past the last ref";
    programs += static_cast<std::uint32_t>(std::popcount(bits));
  }
  if (programs != program_count_) return "programs: a wrong count of programs";
  if (roots_[0] != 0 || roots_[program_count_] != node_count_)
    return "programs: programs do not span the nodes";
  for (std::uint32_t i = 0; i < program_count_; ++i) {
    if (roots_[i + 1] <= roots_[i]) return "programs: an empty program";
    if (roots_[i + 1] > node_count_ || roots_[i + 1] - roots_[i] > kMaxProgram_nodes)
      return "programs: a program is too long";
  }
  return nullptr;
}

/// The nodes [first, end) are one tree: each branch ends inside its parent, and a whole subtree
/// stands wherever one ends.
const char* Programs::check_tree(std::uint32_t first, std::uint32_t end) const {
  std::array<std::uint32_t, kMaxDepth> ends{};  // of the branches around the current node
  std::uint32_t depth = 0;
  std::uint32_t whole = first;  // where the outermost tree must end; known with its first node
  for (std::uint32_t at = first; at < end; ++at) {
    while (depth > 0 && ends[depth - 1] == at) --depth;
    if (at != first && depth == 0) return "programs: more than one tree";
    const Node n = node(at);
    if (static_cast<std::uint8_t>(n.op) >= kOpCount) return "programs: an unknown operation";
    if (!is_branch(n.op)) {
      if (const char* wrong = check_leaf(n)) return wrong;
      if (at == first) whole = first + 1;
      continue;
    }
    const std::uint32_t outer = depth == 0 ? end : ends[depth - 1];
    if (n.flags != 0 || n.extra != 0 || n.arg == 0 || n.arg > outer - at - 1)
      return "programs: a branch that does not fit";
    if (depth == kMaxDepth) return "programs: conditions nest too deep";
    ends[depth++] = at + 1 + n.arg;
    if (at == first) whole = at + 1 + n.arg;
    // NOT has one child: a leaf, or a branch that fills it.
    if (n.op != Op::negate) continue;
    const Node child = node(at + 1);
    const std::uint32_t size = is_branch(child.op) ? child.arg + 1 : 1;
    if (size != n.arg) return "programs: NOT of more than one";
  }
  return whole == end ? nullptr : "programs: more than one tree";
}

const char* Programs::check_leaf(const Node& n) const noexcept {
  constexpr const char* kPool = "programs: an argument outside the pool";
  constexpr const char* kImpossible = "programs: an impossible argument";
  const auto inside = [this, &n](std::uint32_t size) {
    return n.arg <= pool_.size() && size <= pool_.size() - n.arg;
  };
  if (has_text(n.op)) {
    if (n.flags != 0 || n.extra > longest(n.op)) return kImpossible;
    return inside(n.extra) ? nullptr : kPool;
  }
  switch (n.op) {
    case Op::destination:
    case Op::source:
    case Op::destination_suffix:
    case Op::source_suffix: {
      const bool wide = (n.flags & Node::kWide) != 0;
      if ((n.flags & ~(Node::kWide | Node::kResolve)) != 0 || n.extra > (wide ? 128 : 32))
        return kImpossible;
      // A mapped address would come out as v4.
      if (!wide) return nullptr;
      if (!inside(16)) return kPool;
      return address(n).is_v6() ? nullptr : kImpossible;
    }
    case Op::set:
      return n.extra != 0 || (n.flags & ~Node::kResolve) != 0 ? kImpossible : nullptr;
    case Op::uid:
      if (n.flags != 0 || n.extra != 0) return kImpossible;
      return inside(8) ? nullptr : kPool;
    case Op::source_mac:
      if (n.flags != 0 || n.extra != 6) return kImpossible;
      return inside(6) ? nullptr : kPool;
    case Op::time: {
      const std::uint32_t first_minute = n.arg & 0xffffU;
      const std::uint32_t last_minute = n.arg >> 16U;
      return n.flags > 0x7f || first_minute > 1440 || last_minute > 1440 ? kImpossible : nullptr;
    }
    default:
      return n.flags != 0 || n.extra != 0 ? kImpossible : nullptr;
  }
}

bool Programs::names_only(const Bounds& bounds) const noexcept {
  for (std::uint32_t i = 0; i < node_count_; ++i) {
    const Node n = node(i);
    if (n.op == Op::set && n.arg >= bounds.sets) return false;
    if (names_pattern(n.op) && n.arg >= bounds.patterns) return false;
    if (n.op == Op::time && n.extra >= bounds.zones) return false;
  }
  return true;
}

bool Programs::uses(Op op) const noexcept {
  for (std::uint32_t i = 0; i < node_count_; ++i)
    if (node(i).op == op) return true;
  return false;
}

}  // namespace sluice::ruleset
