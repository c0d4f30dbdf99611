#include "controlplane/ruleformats/mrs.h"

#include "controlplane/ruleformats/text_list.h"
#include "controlplane/ruleformats/unpack.h"
#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kNames =
    "exact.test\n+.suffix.test\n.below.test\n*.one.test\nmid.*.test\n+.*.deep.test\n"
    "b\xc3\xbc"
    "cher.test\nsingle\n";
constexpr std::string_view kPrefixes =
    "10.0.0.0/8\n192.0.2.7/32\n0.0.0.0/32\n255.255.255.255/32\n2001:db8::/32\nfe80::/10\n";

std::vector<std::byte> write(Behavior behavior, std::string_view list) {
  Recorder faults;
  MrsWriter writer(behavior, faults);
  EXPECT_TRUE(read_text_list(as_byte_view(list), behavior, {}, writer));
  EXPECT_EQ(faults.faults, Strings{});
  return *writer.finish();
}

Outcome<Tally> read_plain(const Bytes& plain, Behavior behavior, Recorder& to) {
  return read_mrs(*pack_zstd(plain.view()), behavior, {}, to);
}

Strings read_text(Behavior behavior, std::string_view list) {
  Recorder got;
  EXPECT_TRUE(read_text_list(as_byte_view(list), behavior, {}, got));
  return got.sorted();
}

TEST(Mrs, RoundTripsBothBehaviors) {
  for (const auto& [behavior, list] :
       {std::pair{Behavior::domain, kNames}, std::pair{Behavior::ipcidr, kPrefixes}}) {
    Recorder got;
    const auto tally = read_mrs(write(behavior, list), behavior, {}, got);
    ASSERT_TRUE(tally) << tally.error().reason;
    EXPECT_EQ(got.sorted(), read_text(behavior, list));
    EXPECT_EQ(got.faults, Strings{});
  }
}

// tests/golden/ruleformats/domain.mrs and ipcidr.mrs: Mihomo's own converter wrote them.
TEST(Mrs, ReadsWhatMihomoWrites) {
  Recorder names;
  const std::string domain = golden("domain.mrs");
  ASSERT_TRUE(read_mrs(as_byte_view(domain), Behavior::domain, {}, names));
  EXPECT_EQ(names.sorted(),
            (Strings{"below below.test",
                     "exact b\xc3\xbc"
                     "cher.test",
                     "exact exact.test", "exact single", "exact www.both.test",
                     "exact xn--80ak.test", "exact* *.one.test", "exact* mid.*.test",
                     "suffix both.test", "suffix co", "suffix suffix.test"}));
  Recorder prefixes;
  const std::string ipcidr = golden("ipcidr.mrs");
  ASSERT_TRUE(read_mrs(as_byte_view(ipcidr), Behavior::ipcidr, {}, prefixes));
  EXPECT_EQ(prefixes.entries,
            (Strings{"0.0.0.0/32", "10.0.0.0/8", "192.0.2.7/32", "198.51.100.0/24",
                     "255.255.255.255/32", "2001:db8::/32", "fe80::/10"}));
}

// The plain content of our file is Mihomo's, byte for byte, but for the count in its head.
TEST(Mrs, WritesTheBytesThatMihomoWrites) {
  const auto plain = [](std::string_view file) {
    auto out = *unpack_zstd(as_byte_view(file), 1U << 20U);
    std::fill(out.begin() + 5, out.begin() + 13, std::byte{0});
    return out;
  };
  const auto names = write(Behavior::domain,
                           "exact.test\n+.suffix.test\n.below.test\n*.one.test\nmid.*.test\n"
                           "+.both.test\nboth.test\nwww.both.test\nb\xc3\xbc"
                           "cher.test\n"
                           "xn--80ak.test\n+.co\nsingle\n");
  EXPECT_EQ(plain(as_text(names)), plain(golden("domain.mrs")));
  const auto prefixes = write(Behavior::ipcidr,
                              "10.0.0.0/8\n192.0.2.7\n10.255.0.0/16\n198.51.100.0/25\n"
                              "198.51.100.128/25\n2001:db8::/32\n2001:db8:1::/48\nfe80::/10\n"
                              "0.0.0.0/32\n255.255.255.255/32\n");
  EXPECT_EQ(plain(as_text(prefixes)), plain(golden("ipcidr.mrs")));
}

TEST(Mrs, EveryPrefixOfTheContentIsRefused) {
  for (const auto& [behavior, list] :
       {std::pair{Behavior::domain, kNames}, std::pair{Behavior::ipcidr, kPrefixes}}) {
    const auto plain = *unpack_zstd(write(behavior, list), 1U << 20U);
    for (std::size_t cut = 0; cut < plain.size(); ++cut) {
      Recorder got;
      const auto tally = read_mrs(*pack_zstd(ByteView(plain).first(cut)), behavior, {}, got);
      ASSERT_FALSE(tally) << cut;
      EXPECT_TRUE(got.entries.empty()) << cut;
    }
  }
}

TEST(Mrs, HeadsAreChecked) {
  Recorder got;
  const auto domain = write(Behavior::domain, kNames);
  EXPECT_EQ(read_mrs(domain, Behavior::ipcidr, {}, got).error().reason,
            "holds rules of another behavior");
  EXPECT_EQ(read_mrs(domain, Behavior::classical, {}, got).error().code, Errc::unsupported);
  EXPECT_EQ(read_plain(Bytes().text("MRS\x02").u8(0).u64(0).u64(0).u8(1), Behavior::domain, got)
                .error()
                .reason,
            "is not an mrs rule set");
  EXPECT_EQ(read_plain(Bytes().text("MRS\x01").u8(1).u64(0).u64(2).text("ab").u8(2),
                       Behavior::ipcidr, got)
                .error()
                .reason,
            "is of an unknown version");
  EXPECT_EQ(read_mrs(as_byte_view("<html></html>"), Behavior::domain, {}, got).error().code,
            Errc::malformed);
}

TEST(Mrs, LengthsPastTheEndAreTruncated) {
  for (const std::uint64_t length : {UINT64_MAX, UINT64_MAX / 32 + 1, std::uint64_t{2}}) {
    Recorder got;
    const auto head = Bytes().text("MRS\x01").u8(1).u64(1).u64(0).u8(1).u64(length).str();
    const auto ranges =
        read_plain(Bytes().text(head).text(std::string(32, '\0')), Behavior::ipcidr, got);
    EXPECT_EQ(ranges.error().code, Errc::truncated) << length;
    const auto extra =
        read_plain(Bytes().text("MRS\x01").u8(0).u64(1).u64(length), Behavior::domain, got);
    EXPECT_EQ(extra.error().code, Errc::truncated) << length;
  }
}

TEST(Mrs, ABrokenRangeCostsOnlyItself) {
  Recorder got;
  const std::string v4(std::string(10, '\0') + "\xff\xff");
  const auto tally = read_plain(Bytes()
                                    .text("MRS\x01")
                                    .u8(1)
                                    .u64(3)
                                    .u64(0)
                                    .u8(1)
                                    .u64(3)
                                    .text(v4 + "\x0a\x01\x01\x02")
                                    .text(v4 + "\x0a\x01\x01\x01")
                                    .text(v4 + "\x0a\x01\x01\x01")
                                    .text(std::string(16, '\x20'))
                                    .text(v4 + "\x0a\x01\x01\x01")
                                    .text(v4 + "\x0a\x01\x01\x01"),
                                Behavior::ipcidr, got);
  ASSERT_TRUE(tally) << tally.error().reason;
  EXPECT_EQ(*tally, (Tally{1, 2}));
  EXPECT_EQ(got.entries, Strings{"10.1.1.1/32"});
  EXPECT_EQ(got.faults[0], "0:0: 10.1.1.2-10.1.1.1 is not a range of addresses");
}

TEST(Mrs, LimitsRefuseTheFile) {
  const auto file = write(Behavior::domain, kNames);
  Recorder got;
  for (const Bounds& bounds :
       {Bounds{.input_bytes = 10}, Bounds{.plain_bytes = 50}, Bounds{.entries = 3}})
    EXPECT_EQ(read_mrs(file, Behavior::domain, bounds, got).error().code, Errc::too_large);
}

TEST(MrsWriter, WhatItCannotHoldIsAFault) {
  Recorder faults;
  MrsWriter writer(Behavior::domain, faults);
  writer.name({NameKind::regex, Weight::listed, false, "^a$", {}});
  writer.name({NameKind::suffix, Weight::excepted, false, "a.test", {}});
  writer.prefix(*Prefix::parse("10.0.0.0/8"), {});
  writer.line("DST-PORT,53", {});
  EXPECT_EQ(faults.faults, (Strings{"0:0: ^a$ has no form in this mrs file",
                                    "0:0: a.test has no form in this mrs file",
                                    "0:0: 10.0.0.0/8 has no form in this mrs file",
                                    "0:0: DST-PORT,53 has no form in this mrs file"}));
  EXPECT_EQ(writer.finish().error().code, Errc::invalid);
}

}  // namespace
}  // namespace sluice::ruleformats
