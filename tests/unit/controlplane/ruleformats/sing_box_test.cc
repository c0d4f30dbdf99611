// sing-box rule sets: the binary form and the JSON source.
#include "controlplane/ruleformats/adguard_list.h"
#include "controlplane/ruleformats/sing_json.h"
#include "controlplane/ruleformats/srs.h"
#include "controlplane/ruleformats/unpack.h"
#include "tests/unit/controlplane/ruleformats/recorder.h"
#include "tests/unit/controlplane/ruleformats/zlib_pack.h"

namespace sluice::ruleformats {
namespace {

/// What tests/golden/ruleformats/rules.json means.
const Strings kNames = {"exact exact.test", "exact other.test", "suffix suffix.test",
                        "below below.test", "keyword kw",       "regex ^r[0-9]+\\.test$",
                        "10.1.0.0/16",      "192.0.2.7/32",     "2001:db8::/32",
                        "exact flat.test"};
const Strings kLines = {
    "AND,((DOMAIN-SUFFIX,port.test),(DST-PORT,80/443/1000-2000/0-99/60000-65535))",
    "NOT,((NETWORK,udp))",
    "AND,((AND,((SRC-IP-CIDR,192.168.1.0/24),(SRC-PORT,53))),"
    "(NOT,((OR,((PROCESS-NAME,curl),(PROCESS-PATH,/usr/bin/wget))))))",
    "NETWORK,tcp"};
const std::string kRegexLine = "PROCESS-PATH-REGEX,^/opt/.*$";

Strings expected(bool with_regex_line) {
  Strings out = kNames;
  out.insert(out.end(), kLines.begin(), kLines.end());
  if (with_regex_line) out.push_back(kRegexLine);
  std::ranges::sort(out);
  return out;
}

std::vector<std::byte> srs(std::string_view plain, char version = '\x03') {
  std::string file("SRS");
  file.push_back(version);
  file += as_text(pack_zlib(as_byte_view(plain)));
  return bytes_of(file);
}

Outcome<Tally> read_json(std::string_view text, Recorder& to, const Bounds& bounds = {}) {
  return read_sing_json(as_byte_view(text), bounds, to);
}

TEST(Srs, ReadsEveryVersionThatSingBoxWrites) {
  const std::pair<const char*, const char*> files[] = {{"v1.srs", ""},
                                                       {"v2.srs", ""},
                                                       {"v3.srs", "network_type"},
                                                       {"v4.srs", "network_interface_address"}};
  for (const auto& [file, unknown] : files) {
    Recorder got;
    const std::string bytes = golden(file);
    const auto tally = read_srs(as_byte_view(bytes), {}, got);
    ASSERT_TRUE(tally) << file << " " << tally.error().reason;
    EXPECT_EQ(got.sorted(), expected(*unknown == '\0')) << file;
    Strings faults = {"0:0: wifi_ssid has no counterpart here; its whole rule is left out"};
    if (*unknown != '\0')
      faults.push_back("0:0: " + std::string(unknown) +
                       " has no counterpart here; its whole rule is left out");
    EXPECT_EQ(got.faults, faults) << file;
  }
}

TEST(SingJson, ReadsTheSourceOfThatFile) {
  Recorder got;
  const auto tally = read_json(golden("rules.json"), got);
  ASSERT_TRUE(tally) << tally.error().reason;
  EXPECT_EQ(got.sorted(), expected(false));
  EXPECT_EQ(got.faults.size(), 2U);
  EXPECT_EQ(got.places.back().entry, 4U);  // the number of the rule
}

// A converted filter list comes out as the list itself does, names that stand alone apart: sing-box
// takes them for parts of names.
TEST(Srs, AConvertedFilterListKeepsItsWeights) {
  Recorder list;
  const std::string text = golden("adguard.txt");
  ASSERT_TRUE(read_adguard_list(as_byte_view(text), {}, list));
  Strings expect = list.sorted();
  std::ranges::replace(expect, "exact plain.test", "keyword plain.test");
  std::ranges::sort(expect);
  Recorder got;
  const std::string file = golden("adguard.srs");
  ASSERT_TRUE(read_srs(as_byte_view(file), {}, got));
  EXPECT_EQ(got.sorted(), expect);
  EXPECT_EQ(got.faults, Strings{});
}

TEST(Srs, EveryPrefixIsTruncated) {
  const std::string file = golden("v4.srs");
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    Recorder got;
    const auto tally = read_srs(as_byte_view(file).first(cut), {}, got);
    ASSERT_FALSE(tally) << cut;
    EXPECT_EQ(tally.error().code, Errc::truncated) << cut;
  }
  const auto plain = *unpack_zlib(as_byte_view(file).subspan(4), 1U << 20U);
  for (std::size_t cut = 0; cut < plain.size(); ++cut) {
    Recorder got;
    const auto tally = read_srs(srs(as_text(plain).substr(0, cut), '\x04'), {}, got);
    ASSERT_FALSE(tally) << cut;
    EXPECT_EQ(tally.error().code, Errc::truncated) << cut;
    EXPECT_TRUE(got.entries.empty());
  }
}

TEST(Srs, BrokenContentIsRefused) {
  const auto code = [](std::string_view plain) {
    Recorder got;
    const auto tally = read_srs(srs(plain), {}, got);
    return tally ? Errc::none : tally.error().code;
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(code("\x00"sv), Errc::none);                       // no rules
  EXPECT_EQ(code("\x01\x02"sv), Errc::malformed);              // a rule of no kind
  EXPECT_EQ(code("\x01\x00\x17"sv), Errc::malformed);          // an item of no kind
  EXPECT_EQ(code("\x01\x00\xff\x02"sv), Errc::malformed);      // a switch of 2
  EXPECT_EQ(code("\x01\x00\xff\x00\x00"sv), Errc::malformed);  // bytes after the rules
  EXPECT_EQ(code("\x01\x01\x02"sv), Errc::malformed);          // neither and nor or
  EXPECT_EQ(code("\x01\x00\x06\x02\0\0\0\0\0\0\0\0\xff\x00"sv),
            Errc::malformed);  // ranges of version 2
  EXPECT_EQ(code("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv), Errc::malformed);
  EXPECT_EQ(code("\x01\x00\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), Errc::truncated);
  EXPECT_EQ(code("\x01\x00\x06\x01\xff\xff\xff\xff\xff\xff\xff\xff"sv), Errc::truncated);
  EXPECT_EQ(code("\xff\xff\xff\x7f" + std::string(70'000 * 3, '\0')), Errc::too_large);
  std::string many("\xff\xff\xff\x7f");
  for (int i = 0; i < 70'000; ++i) many += "\x00\xff\x00"sv;
  EXPECT_EQ(code(many), Errc::too_large);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "\x01\x01\x00"sv;
  EXPECT_EQ(code(deep), Errc::too_large);
}

TEST(Srs, BrokenEntriesCostOnlyThemselves) {
  using namespace std::string_view_literals;
  Recorder got;
  const std::string plain = std::string("\x03")
                                .append("\x00\x06\x01\x00\x00\x00\x00\x00\x00\x00\x02"sv)
                                .append(
                                    "\x04\x0a\x01\x01\x02\x04\x0a\x01\x01\x01\x03"
                                    "abc\x00\xff\x00"sv)  // two bad ranges
                                .append(
                                    "\x00\x0a\x01\x04"
                                    "99:1\xff\x00"sv)  // a bad port range
                                .append(
                                    "\x00\x03\x01\x02"
                                    "ok\xff\x00"sv);
  const auto tally = read_srs(srs(plain), {}, got);
  ASSERT_TRUE(tally) << tally.error().reason;
  EXPECT_EQ(got.entries, Strings{"keyword ok"});
  EXPECT_EQ(got.faults,
            (Strings{"0:0: 10.1.1.2-10.1.1.1 is not a range of addresses",
                     "0:0: - is not a range of addresses", "0:0:  is not a range of ports"}));
}

TEST(Srs, HeadsAndLimits) {
  Recorder got;
  EXPECT_EQ(read_srs(as_byte_view("<html>"), {}, got).error().code, Errc::malformed);
  EXPECT_EQ(read_srs(srs("\x01", '\x05'), {}, got).error().code, Errc::unsupported);
  EXPECT_EQ(read_srs(srs("\x01", '\0'), {}, got).error().code, Errc::unsupported);
  const std::string file = golden("v2.srs");
  for (const Bounds& bounds :
       {Bounds{.input_bytes = 10}, Bounds{.plain_bytes = 50}, Bounds{.entries = 3}})
    EXPECT_EQ(read_srs(as_byte_view(file), bounds, got).error().code, Errc::too_large);
}

TEST(SingJson, ConditionsBecomeOneLine) {
  Recorder got;
  ASSERT_TRUE(read_json(
      R"({"rules":[{"domain":["A.test","b.test"],"domain_suffix":".c.test","ip_cidr":"::1",
          "network":["tcp","udp"],"invert":true},{"port":[1,2,3]}],"version":1})",
      got));
  EXPECT_EQ(got.entries,
            (Strings{"NOT,((AND,((OR,((DOMAIN,a.test),(DOMAIN,b.test),(DOMAIN-WILDCARD,*.c.test),"
                     "(IP-CIDR6,::1/128))),(OR,((NETWORK,tcp),(NETWORK,udp))))))",
                     "DST-PORT,1/2/3"}));
}

TEST(SingJson, PortsAreSplitAtWhatOneRuleMayList) {
  Recorder got;
  std::string ports = "1";
  for (int i = 2; i <= 29; ++i) ports += "," + std::to_string(i);
  ASSERT_TRUE(read_json(R"({"version":1,"rules":[{"port":[)" + ports + "]}]}", got));
  EXPECT_EQ(got.entries,
            Strings{"OR,((DST-PORT,1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/"
                    "25/26/27/28),(DST-PORT,29))"});
}

TEST(SingJson, RulesThatNoLineCanHoldAreFaults) {
  Recorder got;
  Bounds bounds;
  bounds.line_bytes = 60;
  ASSERT_TRUE(read_json(
      R"({"version":1,"rules":[{"domain_regex":"a\\(","port":1},{"process_name":"a,b"},{},
          {"port":65536},{"port":"80"},{"network":"icmp"},{"new_item":1,"domain":"x.test"},
          {"domain":["aaaaaaaaaaaaaaaaaaaaaaa.test","bbbbbbbbbbbbbbbbbbbbbb.test"],"port":1},
          {"domain":[1]},{"domain":"a b","port":1},{"domain_keyword":"a,no-resolve","port":1},
          {"domain_keyword":"","port":1},{"domain_regex":"a{1,2}","port":1}]})",
      got, bounds));
  EXPECT_EQ(got.entries, Strings{"AND,((DOMAIN-REGEX,a{1,2}),(DST-PORT,1))"});
  EXPECT_EQ(
      got.faults,
      (Strings{"0:0:  has a text that no rule can hold", "0:0:  has a text that no rule can hold",
               "0:0:  has no conditions", "0:0:  is not a port", "0:0:  is not a port",
               "0:0:  names a network that is not known",
               "0:0: new_item has no counterpart here; its whole rule is left out",
               "0:0:  needs a rule line that is too long", "0:0: 1 is not a text",
               "0:0:  has a character that no name has", "0:0:  has a text that no rule can hold",
               "0:0:  has a text that no rule can hold"}));
}

TEST(SingJson, EscapesAreResolved) {
  Recorder got;
  ASSERT_TRUE(read_json(
      R"({"version":1,"rules":[{"domain":"\u0061.b\u00fc.test","domain_regex":"\\d\"\/\ud83d\ude00"}]})",
      got));
  EXPECT_EQ(got.entries, (Strings{"exact a.b\xc3\xbc.test", "regex \\d\"/\xf0\x9f\x98\x80"}));
}

TEST(SingJson, WhatIsNoSuchFileIsRefused) {
  for (const char* text :
       {"", "[]", "{}", R"({"rules":[]})", R"({"version":1,"rules":[})", R"({"version":1} x)",
        R"({"version":1,"rules":[{"domain":["a",]}])", R"({"version":1,"rules":[{"invert":1}]})",
        R"({"version":1,"rules":[{"type":"logical","mode":"xor","rules":[]}]})", "<html></html>"}) {
    Recorder got;
    const auto tally = read_json(text, got);
    ASSERT_FALSE(tally) << text;
    EXPECT_EQ(tally.error().code, Errc::malformed) << text;
  }
  Recorder got;
  EXPECT_EQ(read_json(R"({"version":5,"rules":[]})", got).error().code, Errc::unsupported);
  std::string deep = R"({"version":1,"rules":)";
  for (int i = 0; i < 100'000; ++i) deep += R"([{"rules":)";
  EXPECT_EQ(read_json(deep, got).error().code, Errc::too_large);
  EXPECT_EQ(read_json(R"({"version":1,"x":)" + std::string(100'000, '['), got).error().code,
            Errc::malformed);
}

}  // namespace
}  // namespace sluice::ruleformats
