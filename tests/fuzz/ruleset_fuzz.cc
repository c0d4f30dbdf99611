// Fuzz: the block validator and the matcher over whatever it accepts. The checksum is made right
// first, or hardly any input would get past it; a second pass leaves it as it is.
//
// What must hold: no access out of bounds, positions ascend and stay below the line count, and the
// same key gives the same answer from a copy of the block at another alignment.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "proto/ruleset/match.h"

namespace {

using namespace sluice;
using namespace sluice::ruleset;

constexpr std::size_t kMostSteps = 300;

const std::string_view kNames[] = {"",
                                   "a.test",
                                   "www.shop.example.test",
                                   "tracker",
                                   "xn--bcher-kva.a.b.c.d",
                                   "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"};
const char* const kAddresses[] = {"10.7.0.1", "203.0.113.9", "2001:db8::1", "255.255.255.255",
                                  "::"};

std::vector<std::uint32_t> walk(const View& view, const Key& key, const IpAddress& resolved) {
  std::vector<std::uint32_t> out;
  Match match(view, key);
  std::int64_t last = -1;
  while (out.size() < kMostSteps) {
    const Match::Step step = match.next();
    if (step.outcome == Match::Outcome::end) break;
    if (step.position >= view.line_count()) std::abort();
    if (step.outcome == Match::Outcome::needs_address) {
      match.set_address(resolved);
      continue;
    }
    if (step.position <= last) std::abort();
    last = step.position;
    out.push_back(step.position);
  }
  return out;
}

void match_all(ByteView block) {
  const auto view = View::open(block);
  if (!view) {
    if (view.error().reason.empty() || view.error().offset > block.size()) std::abort();
    return;
  }
  std::vector<std::byte> moved(block.size() + 1);
  std::memcpy(moved.data() + 1, block.data(), block.size());
  const auto second = View::open(ByteView(moved).subspan(1));
  if (!second) std::abort();
  for (const std::string_view name : kNames) {
    for (const char* const text : kAddresses) {
      const IpAddress ip = *IpAddress::parse(text);
      const Key key{name, name.empty() ? ip : IpAddress{}, ip, 443, 123, Network::udp, 3};
      if (walk(*view, key, ip) != walk(*second, key, ip)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> block(size);
  if (size > 0) std::memcpy(block.data(), data, size);
  match_all(block);
  if (size < kHeader_bytes) return 0;
  Writer sum(ByteSpan(block).subspan(kChecksumOffset, 8));
  sum.u64le(checksum(block));
  match_all(block);
  return 0;
}
