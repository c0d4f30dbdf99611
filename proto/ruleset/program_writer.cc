#include "proto/ruleset/program_writer.h"

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/patterns.h"
#include "proto/ruleset/simplify.h"

namespace sluice::ruleset {

Status ProgramWriter::add(std::uint32_t position, const Condition& condition) {
  positions_.push_back(position);
  roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  const Status written = write(condition, 0);
  if (!written) return written;
  if (nodes_.size() - roots_.back() > kMaxProgram_nodes) return fail(Errc::too_large);
  return {};
}

Status ProgramWriter::write(const Condition& c, std::uint32_t depth) {
  if (c.op != Op::all && c.op != Op::any && c.op != Op::negate) return write_leaf(c);
  if (depth == kMaxDepth) return fail(Errc::malformed);
  const std::size_t at = nodes_.size();
  nodes_.push_back({c.op, 0, 0, 0});
  for (const Condition& child : c.children)
    if (const Status written = write(child, depth + 1); !written) return written;
  nodes_[at].arg = static_cast<std::uint32_t>(nodes_.size() - at - 1);
  return {};
}

void ProgramWriter::put(const Condition& c, std::uint8_t flags, std::uint32_t extra,
                        std::uint32_t arg) {
  nodes_.push_back({c.op, flags, static_cast<std::uint16_t>(extra), arg});
}

/// The place of these bytes; the same bytes lie there once.
std::uint32_t ProgramWriter::pool(std::string_view bytes) {
  const auto [found, added] =
      pool_places_.try_emplace(std::string(bytes), static_cast<std::uint32_t>(pool_.size()));
  if (added) pool_ += bytes;
  return found->second;
}

Result<std::uint32_t> ProgramWriter::pattern(const std::string& text) {
  const auto next = static_cast<std::uint32_t>(patterns_.size());
  const auto [found, added] = pattern_numbers_.try_emplace(text, next);
  if (!added) return found->second;
  const Result<Engine> engine = check_pattern(text);
  if (!engine) return fail(engine.error());
  if (next == kMaxPatterns) return fail(Errc::too_large);
  patterns_.push_back({text, *engine});
  return next;
}

void ProgramWriter::put_address(const Condition& c) {
  const std::uint8_t flags = c.resolve ? Node::kResolve : 0;
  if (c.address.is_v4()) return put(c, flags, c.length, c.address.v4_value());
  put(c, flags | Node::kWide, c.length, pool(as_text(c.address.bytes())));
}

Status ProgramWriter::write_leaf(const Condition& c) {
  if (is_address(c.op)) {
    put_address(c);
    return {};
  }
  if (is_pattern(c.op)) {
    const Result<std::uint32_t> number = pattern(c.text);
    if (!number) return fail(number.error());
    put(c, 0, 0, *number);
    return {};
  }
  switch (c.op) {
    case Op::always:
    case Op::never:
      put(c, 0, 0, 0);
      return {};
    case Op::destination_port:
    case Op::source_port:
    case Op::in_port:
    case Op::dscp:
      put(c, 0, 0, c.first | c.last << 16U);
      return {};
    case Op::network:
    case Op::in_type:
      put(c, 0, 0, c.first);
      return {};
    case Op::uid: {
      SectionWriter range;
      range.u32(c.first);
      range.u32(c.last);
      put(c, 0, 0, pool(as_text(std::move(range).take())));
      return {};
    }
    case Op::time:
      if (c.zone.index >= zone_count_) return fail(Errc::malformed);
      put(c, static_cast<std::uint8_t>(c.first), c.zone.index, c.last);
      return {};
    case Op::set: {
      const SetUse use{c.first, c.side};
      const auto [found, added] =
          set_numbers_.try_emplace(use, static_cast<std::uint32_t>(sets_.size()));
      if (added) sets_.push_back(use);
      put(c, c.resolve ? Node::kResolve : 0, 0, found->second);
      return {};
    }
    default:
      put(c, 0, static_cast<std::uint32_t>(c.text.size()), pool(c.text));
      return {};
  }
}

std::vector<std::byte> ProgramWriter::programs(std::uint32_t position_count) const {
  SectionWriter out;
  if (positions_.empty()) return {};
  const std::uint32_t blocks = (position_count + 63) / 64;
  std::vector<std::uint64_t> bits(blocks);
  std::vector<std::uint32_t> before(blocks);
  for (const std::uint32_t p : positions_) bits[p / 64] |= 1ULL << (p % 64);
  for (std::uint32_t b = 1; b < blocks; ++b)
    before[b] = before[b - 1] + static_cast<std::uint32_t>(__builtin_popcountll(bits[b - 1]));
  out.u32(blocks);
  out.u32(static_cast<std::uint32_t>(positions_.size()));
  out.u32(static_cast<std::uint32_t>(nodes_.size()));
  out.u32(static_cast<std::uint32_t>(pool_.size()));
  for (const std::uint64_t word : bits) out.u64(word);
  out.words(before);
  out.words(roots_);
  out.u32(static_cast<std::uint32_t>(nodes_.size()));
  for (const Node& node : nodes_) {
    out.u8(static_cast<std::uint8_t>(node.op));
    out.u8(node.flags);
    out.u16(node.extra);
    out.u32(node.arg);
  }
  out.text(pool_);
  return std::move(out).take();
}

std::vector<std::byte> ProgramWriter::patterns() const {
  SectionWriter out;
  if (patterns_.empty()) return {};
  std::string pool;
  out.u32(static_cast<std::uint32_t>(patterns_.size()));
  for (const Pattern& p : patterns_) pool += p.text;
  out.u32(static_cast<std::uint32_t>(pool.size()));
  std::uint32_t at = 0;
  for (const Pattern& p : patterns_) {
    const auto size = static_cast<std::uint32_t>(p.text.size());
    out.u32(at);
    out.u32(size << 8U | static_cast<std::uint32_t>(p.engine));
    at += size;
  }
  out.text(pool);
  return std::move(out).take();
}

}  // namespace sluice::ruleset
