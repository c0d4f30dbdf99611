#include "proto/ruleset/program_writer.h"

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/simplify.h"

namespace sluice::ruleset {

Status ProgramWriter::add(std::uint32_t ref, const Condition& condition) {
  const std::size_t root = nodes_.size();
  Status written = write(condition, 0);
  const bool fits = nodes_.size() - root <= kMaxProgram_nodes &&
                    nodes_.size() * Node::kBytes + pool_.size() <= most_bytes_;
  if (written && !fits) written = fail(Errc::too_large);
  if (!written) {
    nodes_.resize(root);
    return written;
  }
  refs_.push_back(ref);
  roots_.push_back(static_cast<std::uint32_t>(root));
  return {};
}

Result<std::uint32_t> ProgramWriter::steps_of(const Condition& c) {
  if (c.op == Op::domain_wildcard || c.op == Op::domain_labels ||
      c.op == Op::process_name_wildcard || c.op == Op::process_path_wildcard)
    return 1;
  if (is_pattern(c.op)) {
    const Result<PatternCost> cost = cost_of(c.text);
    if (!cost) return fail(cost.error());
    return cost->engine == Engine::linear ? 1 : kBacktracking_steps;
  }
  return 0;
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

Result<PatternCost> ProgramWriter::cost_of(const std::string& text) {
  const auto known = costs_.find(text);
  if (known != costs_.end()) return known->second;
  const Result<PatternCost> cost = cost_of_pattern(text);
  if (cost) costs_.emplace(text, *cost);
  return cost;
}

Result<std::uint32_t> ProgramWriter::pattern(const std::string& text) {
  const auto known = pattern_numbers_.find(text);
  if (known != pattern_numbers_.end()) return known->second;
  const Result<PatternCost> cost = cost_of(text);
  if (!cost) return fail(cost.error());
  const std::uint32_t more = cost->engine == Engine::backtracking ? 1 : 0;
  if (patterns_.size() == kMaxPatterns || backtracking_ + more > kMaxBacktracking ||
      pattern_bytes_ + cost->bytes > kAllPatterns_bytes)
    return fail(Errc::too_large);
  backtracking_ += more;
  pattern_bytes_ += cost->bytes;
  const auto number = static_cast<std::uint32_t>(patterns_.size());
  pattern_numbers_.emplace(text, number);
  patterns_.push_back({text, cost->engine});
  return number;
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
    case Op::protocol:
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
    case Op::set:
      put(c, c.resolve ? Node::kResolve : 0, 0, sets_.number_of(c));
      return {};
    default:
      put(c, 0, static_cast<std::uint32_t>(c.text.size()), pool(c.text));
      return {};
  }
}

std::vector<std::byte> ProgramWriter::programs(std::uint32_t ref_count) const {
  SectionWriter out;
  if (refs_.empty()) return {};
  const std::uint32_t blocks = (ref_count + 63) / 64;
  std::vector<std::uint64_t> bits(blocks);
  std::vector<std::uint32_t> before(blocks);
  for (const std::uint32_t p : refs_) bits[p / 64] |= 1ULL << (p % 64);
  for (std::uint32_t b = 1; b < blocks; ++b)
    before[b] = before[b - 1] + static_cast<std::uint32_t>(__builtin_popcountll(bits[b - 1]));
  out.u32(blocks);
  out.u32(static_cast<std::uint32_t>(refs_.size()));
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
