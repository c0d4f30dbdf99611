// micro/rule_texts.h - seeded names and addresses in the shape of public lists.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "tests/support/rule_lines.h"

namespace sluice::perf {

using test::Random;

inline std::string word(Random& random, std::uint32_t least, std::uint32_t most) {
  std::string out;
  for (std::uint32_t i = least + random.below(most - least + 1); i > 0; --i)
    out += static_cast<char>('a' + random.below(26));
  return out;
}

/// "kqwzrt.com", 13 bytes in the middle.
inline std::string site(Random& random) {
  static const char* const tops[] = {"com", "net", "org", "test", "co.example", "io"};
  return word(random, 4, 12) + "." + tops[random.below(6)];
}

inline IpAddress any_v4(Random& random) {
  return IpAddress::v4(static_cast<std::uint32_t>(random.next()));
}

/// Below 2000::/3, as addresses in use are; the first 32 bits from few registries' blocks.
inline IpAddress any_v6(Random& random) {
  static const std::uint16_t blocks[] = {0x2001, 0x2400, 0x2600, 0x2a00,
                                         0x2a02, 0x240e, 0x2804, 0x2c0f};
  std::array<std::byte, 16> raw{};
  Writer out(raw);
  out.u16be(blocks[random.below(8)]);
  out.u32be(static_cast<std::uint32_t>(random.next()));
  out.u64be(random.next());
  return IpAddress::from_bytes(raw);
}

}  // namespace sluice::perf
