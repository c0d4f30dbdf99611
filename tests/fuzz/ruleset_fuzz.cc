// Fuzz: the block validator and the matcher over whatever it accepts. The checksum is made right
// first, or hardly any input would get past it; a second pass leaves it as it is.
//
// What must hold: no access out of bounds, positions ascend and have lines, questions are asked at
// most once each, and the same key gives the same answer from a copy of the block at another
// alignment.
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

/// A flow of this machine, of a known user: every kind of key is there.
Key key_of(std::string_view name, const IpAddress& ip) {
  Key key;
  key.name = name;
  if (name.empty()) key.destination = ip;
  key.source = ip;
  key.destination_port = 443;
  key.source_port = 123;
  key.network = Network::udp;
  key.in_type = 3;
  key.in_port = 7890;
  key.dscp = 46;
  key.protocol_known = Known::no;
  key.source_mac = {std::byte{2}, std::byte{}, std::byte{}, std::byte{}, std::byte{}, std::byte{1}};
  key.user = "ann";
  key.inbound_name = "DEFAULT-MIXED";
  key.rematch_name = "again";
  key.owner.uid_known = key.owner.process_known = Known::no;
  key.utc_seconds = 1'700'000'000;
  return key;
}

std::vector<std::uint32_t> walk(const View& view, const Match::Tools& tools, const Key& key,
                                const IpAddress& resolved) {
  std::vector<std::uint32_t> out;
  Match match(view, key, tools);
  std::int64_t last = -1;
  int questions = 0;
  std::uint32_t entry = 0;
  Window window = view.window(0);
  while (out.size() < kMostSteps) {
    const Match::Step step = match.next();
    if (step.outcome == Match::Outcome::end) {
      if (++entry == view.entry_count()) break;
      match.restart(entry, "again");
      window = view.window(entry);
      last = -1;
      continue;
    }
    if (step.position < window.first || step.position >= window.end) std::abort();
    const Slot slot = view.slot(step.position);
    if (slot.line >= view.line_count() || slot.top >= view.line_count()) std::abort();
    if (step.outcome == Match::Outcome::line) {
      if (step.position <= last) std::abort();
      last = step.position;
      out.push_back(step.position);
      if (out.size() % 4 == 0) match.skip_to(view.behind_place(step.position));
      continue;
    }
    if (++questions > 4) std::abort();  // an address, a user id, a process, a protocol
    if (step.outcome == Match::Outcome::needs_address)
      match.set_address(resolved);
    else if (step.outcome == Match::Outcome::needs_protocol)
      match.set_protocol(1);
    else
      match.set_owner({Known::yes, Known::yes, 1000, "/usr/bin/curl"});
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
  const auto patterns = Patterns::compile(view->patterns());
  if (!patterns) return;  // the snapshot is refused
  const Match::Tools tools{&*patterns, nullptr, nullptr};
  for (const std::string_view name : kNames) {
    for (const char* const text : kAddresses) {
      const IpAddress ip = *IpAddress::parse(text);
      const Key key = key_of(name, ip);
      if (walk(*view, tools, key, ip) != walk(*second, tools, key, ip)) std::abort();
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
