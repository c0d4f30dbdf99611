#include "proto/ruleset/format.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint64_t kFactor = 0x9fb21c651e98df25ULL;

/// Each step is a bijection of `state`, so no single changed word goes unseen.
constexpr std::uint64_t fold(std::uint64_t state, std::uint64_t word) noexcept {
  state = (state ^ word) * kFactor;
  return state ^ (state >> 32U);
}

}  // namespace

std::string_view describe(Index index) noexcept {
  switch (index) {
    case Index::names:
      return "names";
    case Index::keywords:
      return "keywords";
    case Index::destination_v4:
    case Index::destination_v6:
      return "destination addresses";
    case Index::source_v4:
    case Index::source_v6:
      return "source addresses";
    case Index::destination_port:
      return "destination ports";
    case Index::source_port:
      return "source ports";
    case Index::network:
      return "networks";
    case Index::in_type:
      return "kinds of inbound";
    case Index::always:
      return "always";
    case Index::destination_tail_v4:
    case Index::destination_tail_v6:
      return "ends of destination addresses";
    case Index::source_tail_v4:
    case Index::source_tail_v6:
      return "ends of source addresses";
    case Index::in_port:
      return "inbound ports";
    case Index::dscp:
      return "DSCP values";
    case Index::source_mac:
      return "source MAC addresses";
    case Index::user:
      return "users";
    case Index::inbound_name:
      return "inbound names";
    case Index::rematch_name:
      return "rematch names";
    case Index::owner:
      return "owners";
  }
  return "unknown";
}

bool is_ascending(const Words& words, std::uint32_t first, std::uint32_t count,
                  std::uint32_t bound) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t word = words[first + i];
    if (word >= bound || (i > 0 && word <= words[first + i - 1])) return false;
  }
  return true;
}

std::uint64_t checksum(ByteView block) noexcept {
  std::uint64_t state = block.size();
  std::size_t at = 0;
  for (; at + 8 <= block.size(); at += 8)
    if (at != kChecksumOffset) state = fold(state, load_u64(block.data() + at));
  for (; at < block.size(); ++at) state = fold(state, std::to_integer<std::uint64_t>(block[at]));
  return state;
}

}  // namespace sluice::ruleset
