#include "controlplane/ruleformats/text_list.h"

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {
namespace {

Outcome<Tally> read(std::string_view text, Behavior behavior, Recorder& to, Bounds bounds = {}) {
  return read_text_list(as_byte_view(text), behavior, bounds, to);
}

TEST(TextList, DomainEntriesOfEveryForm) {
  Recorder got;
  const auto tally = read(
      "# comment\n// comment\n\nExact.Test\n+.all.test\n.below.test\n*.one.test\n+.a.*.b.test\n"
      "  padded.test \t\ndot.test.\nb\xc3\xbc"
      "cher.test\n",
      Behavior::domain, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(*tally, (Tally{8, 0}));
  EXPECT_EQ(got.entries,
            (Strings{"exact exact.test", "suffix all.test", "below below.test", "exact* *.one.test",
                     "suffix* a.*.b.test", "exact padded.test", "exact dot.test",
                     "exact b\xc3\xbc"
                     "cher.test"}));
  EXPECT_EQ(got.places[0], (Place{0, 4, 1}));
  EXPECT_EQ(got.places[5], (Place{5, 9, 3}));
}

TEST(TextList, BrokenEntriesAreNamedAndTheRestIsUsed) {
  Recorder got;
  const auto tally = read("a/b.test\na*b.test\na..test\nexample.+.test\n+\nhttp://x.test\n" +
                              std::string(64, 'x') + ".test\n\xff.test\nok.test",
                          Behavior::domain, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(*tally, (Tally{1, 8}));
  EXPECT_EQ(got.entries, Strings{"exact ok.test"});
  EXPECT_EQ(got.faults[0], "1:1: a/b.test has a character that no name has");
  EXPECT_EQ(got.faults[1], "2:1: a*b.test has a `*` that is not a whole label");
  EXPECT_EQ(got.faults[2], "3:1: a..test has an empty label");
  EXPECT_EQ(got.faults[3], "4:1: example.+.test has a `+` that is not its first label");
  EXPECT_EQ(got.faults[4], "5:1: + has a `+` that is not its first label");
  EXPECT_EQ(got.faults[7], "8:1: \xff.test is not UTF-8");
}

// B038: host bits are masked, a bare address is a prefix, case and padding do not matter.
TEST(TextList, PrefixesAreMaskedAndImpossibleOnesNamed) {
  Recorder got;
  const auto tally = read(
      "172.16.5.7/12\n192.0.2.7\n2001:DB8:0::/32 \n  198.51.100.0/24\n10.0.0.0/33\n::ffff:0:0/96\n"
      "::1/129\nexample.test\n",
      Behavior::ipcidr, got);
  ASSERT_TRUE(tally);
  EXPECT_EQ(got.entries,
            (Strings{"172.16.0.0/12", "192.0.2.7/32", "2001:db8::/32", "198.51.100.0/24"}));
  EXPECT_EQ(got.faults[0], "5:1: 10.0.0.0/33 is not an address or prefix");
  EXPECT_EQ(got.faults[1],
            "6:1: ::ffff:0:0/96 covers the IPv4-mapped addresses, which are matched as IPv4");
  EXPECT_EQ(*tally, (Tally{4, 4}));
}

TEST(TextList, ClassicalLinesPassAsTheyAreButNotTheBarredTypes) {
  Recorder got;
  ASSERT_TRUE(
      read("DOMAIN-REGEX,^a{1,2}$\nAND,((NETWORK,udp),(DST-PORT,53))\n"
           "match,DIRECT\nRULE-SET,x\nSUB-RULE,(NETWORK,udp),y\nexample.test\n<a>,b\n"
           "DOMAIN,a\x01\n",
           Behavior::classical, got));
  EXPECT_EQ(got.entries, (Strings{"DOMAIN-REGEX,^a{1,2}$", "AND,((NETWORK,udp),(DST-PORT,53))"}));
  EXPECT_EQ(got.faults,
            (Strings{"3:1: match,DIRECT is of a type that no rule set may hold",
                     "4:1: RULE-SET,x is of a type that no rule set may hold",
                     "5:1: SUB-RULE,(NETWORK,udp),y is of a type that no rule set may hold",
                     "6:1: example.test is not a rule; write TYPE,payload",
                     "7:1: <a>,b is not a rule; write TYPE,payload",
                     "8:1: DOMAIN,a\x01 has a control character"}));
}

// B010: a byte order mark and CRLF give the same as the plain file.
TEST(TextList, B010ByteOrderMarkAndCrlf) {
  Recorder got;
  ASSERT_TRUE(
      read("\xef\xbb\xbf"
           "first.bom.test\r\n+.second.bom.test\r\n",
           Behavior::domain, got));
  EXPECT_EQ(got.entries, (Strings{"exact first.bom.test", "suffix second.bom.test"}));
  Recorder none;
  const auto utf16 = read(std::string_view("\xff\xfe"
                                           "a\0",
                                           4),
                          Behavior::domain, none);
  EXPECT_EQ(utf16.error().code, Errc::unsupported);
  EXPECT_EQ(utf16.error().reason, "is UTF-16; save it as UTF-8");
  const auto binary = read(std::string_view("a.test\n\0", 8), Behavior::domain, none);
  EXPECT_EQ(binary.error(), (Refusal{Errc::malformed, 7, "is not a text file"}));
}

// B019: no newline at the end; nothing but comments is nothing, not an error.
TEST(TextList, B019LastLineWithoutNewlineAndEmptyFiles) {
  Recorder got;
  EXPECT_EQ(*read("only.one.test", Behavior::domain, got), (Tally{1, 0}));
  EXPECT_EQ(*read("", Behavior::domain, got), (Tally{0, 0}));
  EXPECT_EQ(*read("# a\n\n//b\n", Behavior::domain, got), (Tally{0, 0}));
}

TEST(TextList, LimitsRefuseTheFile) {
  Recorder got;
  Bounds bounds;
  bounds.entries = 3;
  EXPECT_EQ(*read("a\nb\nc\n", Behavior::domain, got, bounds), (Tally{3, 0}));
  EXPECT_EQ(read("a\nb\n/\nd\n", Behavior::domain, got, bounds).error().code, Errc::too_large);
  bounds.input_bytes = 4;
  EXPECT_EQ(read("a\nb\nc", Behavior::domain, got, bounds).error().code, Errc::too_large);
}

}  // namespace
}  // namespace sluice::ruleformats
