// A manifest is hostile input: each field by itself, with the place that the refusal names.
#include <functional>

#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

using test::Applied;
using test::Manifest;

struct Hostile {
  const char* place;
  std::function<void(Manifest&)> change;
};

void expect_refused(const std::vector<Hostile>& cases) {
  ASSERT_TRUE(test::build(test::base()));
  for (const Hostile& hostile : cases) {
    Applied applied = test::base();
    hostile.change(applied.manifest);
    const auto built = test::build(applied);
    ASSERT_FALSE(built) << hostile.place;
    EXPECT_EQ(built.error().place, hostile.place) << built.error().reason;
    EXPECT_FALSE(built.error().reason.empty());
  }
}

template <class Enum>
Enum beyond(Enum last) {
  return static_cast<Enum>(static_cast<int>(last) + 1);
}

TEST(BuildSnapshot, RefusesHostileOutbounds) {
  expect_refused({
      {"outbounds", [](Manifest& m) { m.outbounds.clear(); }},
      {"outbounds", [](Manifest& m) { m.outbounds.resize(kMaxOutbounds + 1); }},
      {"outbounds[0].name", [](Manifest& m) { m.outbounds[0].name.clear(); }},
      {"outbounds[3].name", [](Manifest& m) { m.outbounds[3].name = "\xff"; }},
      {"outbounds[3].name", [](Manifest& m) { m.outbounds[3].name.assign(257, 'a'); }},
      {"outbounds[3].name", [](Manifest& m) { m.outbounds[3].name = std::string("a\0b", 3); }},
      {"outbounds[5].name", [](Manifest& m) { m.outbounds[5].name = "tcp-only"; }},
      {"outbounds[5].type_name", [](Manifest& m) { m.outbounds[5].type_name.clear(); }},
      {"outbounds[5].kind",
       [](Manifest& m) { m.outbounds[5].kind = beyond(contract::OutboundKind::unbuilt); }},
      {"outbounds[5].server", [](Manifest& m) { m.outbounds[5].server = "Upper.test"; }},
      {"outbounds[5].server", [](Manifest& m) { m.outbounds[5].server.clear(); }},
      {"outbounds[5].port", [](Manifest& m) { m.outbounds[5].port = 0; }},
      {"outbounds[0].server", [](Manifest& m) { m.outbounds[0].server = "a.test"; }},
      {"outbounds[0].port", [](Manifest& m) { m.outbounds[0].port = 1; }},
      {"outbounds[4].server", [](Manifest& m) { m.outbounds[4].server = "\xff"; }},
      {"outbounds[5].ip_version",
       [](Manifest& m) { m.outbounds[5].ip_version = beyond(contract::IpVersion::prefer_v6); }},
      {"outbounds[5].interface_name", [](Manifest& m) { m.outbounds[5].interface_name = "a/b"; }},
      {"outbounds[5].interface_name",
       [](Manifest& m) { m.outbounds[5].interface_name.assign(16, 'e'); }},
      {"outbounds[5].interface_name", [](Manifest& m) { m.outbounds[5].interface_name = ".."; }},
      {"outbounds[5].cipher", [](Manifest& m) { m.outbounds[5].cipher = contract::Cipher::none; }},
      {"outbounds[5].cipher",
       [](Manifest& m) {
         m.outbounds[5].cipher = beyond(contract::Cipher::chacha20_ietf_poly1305);
       }},
      {"outbounds[3].cipher",
       [](Manifest& m) { m.outbounds[3].cipher = contract::Cipher::aes_256_gcm; }},
      {"outbounds[5].password", [](Manifest& m) { m.outbounds[5].password.clear(); }},
      {"outbounds[3].username", [](Manifest& m) { m.outbounds[3].username.assign(256, 'u'); }},
      {"outbounds[3].password", [](Manifest& m) { m.outbounds[3].password.assign(256, 'p'); }},
      {"direct", [](Manifest& m) { m.direct = 9; }},
      {"direct", [](Manifest& m) { m.direct = 1; }},
      {"reject", [](Manifest& m) { m.reject = 0; }},
      {"global", [](Manifest& m) { m.global = 0xffffffff; }},
  });
}

TEST(BuildSnapshot, RefusesHostileGroups) {
  expect_refused({
      {"outbounds[6].members", [](Manifest& m) { m.outbounds[6].members.clear(); }},
      {"outbounds[6].members[1]", [](Manifest& m) { m.outbounds[6].members[1] = 9; }},
      {"outbounds[6].members[0]", [](Manifest& m) { m.outbounds[6].members[0] = 6; }},
      {"outbounds[7].members[0]", [](Manifest& m) { m.outbounds[6].members[1] = 7; }},
      {"outbounds[0].members", [](Manifest& m) { m.outbounds[0].members = {1}; }},
      {"outbounds[6].initial_choice", [](Manifest& m) { m.outbounds[6].initial_choice = 2; }},
      {"outbounds[0].initial_choice", [](Manifest& m) { m.outbounds[0].initial_choice = 1; }},
  });
}

// The error names the member that closes the circle, wherever it is entered.
TEST(BuildSnapshot, RefusesCyclesOfAnyLength) {
  for (std::uint32_t length = 1; length <= 40; ++length) {
    Applied applied = test::base();
    auto& list = applied.manifest.outbounds;
    const auto first = static_cast<std::uint32_t>(list.size());
    for (std::uint32_t i = 0; i < length; ++i)
      list.push_back(test::group("g" + std::to_string(i), {0, first + (i + 1) % length}));
    const auto built = test::build(applied);
    ASSERT_FALSE(built) << length;
    EXPECT_EQ(built.error().reason, "makes the group a member of itself");
  }
}

TEST(BuildSnapshot, TakesChainsUpToTheBoundAndNoLonger) {
  for (const std::size_t groups : {kMaxChain - 1, kMaxChain}) {
    Applied applied = test::base();
    auto& list = applied.manifest.outbounds;
    std::uint32_t below = 5;
    for (std::size_t i = 0; i < groups; ++i) {
      list.push_back(test::group("g" + std::to_string(i), {below}));
      below = static_cast<std::uint32_t>(list.size() - 1);
    }
    const auto built = test::build(applied);
    ASSERT_EQ(built.has_value(), groups < kMaxChain);
    if (!built) continue;
    EXPECT_EQ((*built)->resolve(below, Network::tcp).chain().size(), kMaxChain);
  }
}

TEST(BuildSnapshot, RefusesHostileListeners) {
  using contract::User;
  const auto add = [](Manifest& m, std::string name, const char* ip, std::uint16_t port) {
    m.listeners.push_back(test::listener(std::move(name), ip, port));
  };
  expect_refused({
      {"listeners[0].name", [](Manifest& m) { m.listeners[0].name.clear(); }},
      {"listeners[0].kind",
       [](Manifest& m) { m.listeners[0].kind = beyond(contract::ListenerKind::tproxy); }},
      {"listeners[0].address", [](Manifest& m) { m.listeners[0].address = {}; }},
      {"listeners[0].address",
       [](Manifest& m) { m.listeners[0].address = *IpAddress::parse("224.0.0.1"); }},
      {"listeners[0].port", [](Manifest& m) { m.listeners[0].port = 0; }},
      {"listeners[0].outbound", [](Manifest& m) { m.listeners[0].outbound = 9; }},
      {"listeners[0].users[0].name", [](Manifest& m) { m.listeners[0].users = {User{"", "p"}}; }},
      {"listeners[0].users[1].name",
       [](Manifest& m) {
         m.listeners[0].users = {User{"u", "p"}, User{std::string(256, 'u'), "p"}};
       }},
      {"listeners[0].users[0].password",
       [](Manifest& m) { m.listeners[0].users = {User{"u", std::string(256, 'p')}}; }},
      {"listeners[0].users",
       [](Manifest& m) {
         m.listeners[0].kind = contract::ListenerKind::tproxy;
         m.listeners[0].users = {User{"u", "p"}};
       }},
      {"listeners[0].skip_auth[0]", [](Manifest& m) { m.listeners[0].skip_auth = {Prefix{}}; }},
      {"listeners[0].allowed_sources[0]",
       [](Manifest& m) { m.listeners[0].allowed_sources = {Prefix{IpAddress::v4(1), 8}}; }},
      {"listeners[0].denied_sources[0]",
       [](Manifest& m) { m.listeners[0].denied_sources = {Prefix{IpAddress::v4(0), 33}}; }},
      {"listeners", [](Manifest& m) { m.listeners.resize(kMaxListeners + 1, m.listeners[0]); }},
      {"listeners[1].name", [&](Manifest& m) { add(m, "DEFAULT-MIXED", "127.0.0.1", 7891); }},
      {"listeners[1].port", [&](Manifest& m) { add(m, "b", "127.0.0.1", 7890); }},
      {"listeners[1].port", [&](Manifest& m) { add(m, "b", "0.0.0.0", 7890); }},
      {"listeners[1].port", [&](Manifest& m) { add(m, "b", "::", 7890); }},
  });
}

TEST(BuildSnapshot, OnePortOnTwoAddressesIsNoCollision) {
  Applied applied = test::base();
  applied.manifest.listeners.push_back(test::listener("b", "127.0.0.2", 7890));
  applied.manifest.listeners.push_back(test::listener("c", "::1", 7890));
  applied.manifest.listeners.push_back(test::listener("d", "::", 7891));
  EXPECT_TRUE(test::build(applied));
}

TEST(BuildSnapshot, RefusesHostileRestOfTheManifest) {
  using contract::DnsPort;
  expect_refused({
      {"mode", [](Manifest& m) { m.mode = beyond(contract::Mode::direct); }},
      {"removed_flows",
       [](Manifest& m) { m.removed_flows = beyond(contract::RemovedFlows::close); }},
      {"interface_name", [](Manifest& m) { m.interface_name = "a b"; }},
      {"fake_ranges[0]", [](Manifest& m) { m.fake_ranges = {Prefix{}}; }},
      {"fake_ranges[0]", [](Manifest& m) { m.fake_ranges = {*Prefix::parse("0.0.0.0/0")}; }},
      {"fake_ranges[1]",
       [](Manifest& m) {
         m.fake_ranges = {*Prefix::parse("198.18.0.0/16"), *Prefix::parse("198.18.7.0/24")};
       }},
      {"limits.memory", [](Manifest& m) { m.limits.memory = 1; }},
      {"limits.tcp_idle", [](Manifest& m) { m.limits.tcp_idle = {0}; }},
      {"limits.tcp_half_closed", [](Manifest& m) { m.limits.tcp_half_closed = {-1}; }},
      {"limits.udp_idle", [](Manifest& m) { m.limits.udp_idle = {kMaxSpan_ms + 1}; }},
      {"limits.udp_question_idle", [](Manifest& m) { m.limits.udp_question_idle = {-1}; }},
      {"limits.handshake", [](Manifest& m) { m.limits.handshake = {INT64_MIN}; }},
      {"limits.connect", [](Manifest& m) { m.limits.connect = {INT64_MAX}; }},
      {"limits.keep_alive_idle_s", [](Manifest& m) { m.limits.keep_alive_idle_s = 32768; }},
      {"limits.keep_alive_interval_s", [](Manifest& m) { m.limits.keep_alive_interval_s = 32768; }},
      {"capture.mode",
       [](Manifest& m) { m.capture.mode = beyond(contract::CaptureMode::redirect); }},
      {"capture.interfaces[0]", [](Manifest& m) { m.capture.interfaces = {""}; }},
      {"capture.interfaces[1]", [](Manifest& m) { m.capture.interfaces = {"lan", "lan"}; }},
      {"capture.interfaces", [](Manifest& m) { m.capture.interfaces.resize(kMaxDevices + 1); }},
      {"capture.dns[0].device", [](Manifest& m) { m.capture.dns = {DnsPort{"/", 1, 1}}; }},
      {"capture.dns[0].udp", [](Manifest& m) { m.capture.dns = {DnsPort{"lan", 0, 1}}; }},
      {"capture.dns[0].tcp", [](Manifest& m) { m.capture.dns = {DnsPort{"lan", 1, 0}}; }},
      {"capture.mark_mask", [](Manifest& m) { m.capture.mark_mask = 0; }},
      {"capture.bypass_mark", [](Manifest& m) { m.capture.bypass_mark = 0; }},
      {"capture.bypass_mark", [](Manifest& m) { m.capture.bypass_mark = 0x10000; }},
      {"capture.tproxy_mark", [](Manifest& m) { m.capture.tproxy_mark = 1; }},
      {"capture.tproxy_mark", [](Manifest& m) { m.capture.tproxy_mark = 0x100; }},
      {"capture.route_table", [](Manifest& m) { m.capture.route_table = 254; }},
      {"capture.route_table", [](Manifest& m) { m.capture.route_table = 0; }},
      {"capture.rule_priority", [](Manifest& m) { m.capture.rule_priority = 1; }},
      {"capture.rule_priority", [](Manifest& m) { m.capture.rule_priority = 32766; }},
  });
}

TEST(BuildSnapshot, RefusesRulesThatDoNotFitTheirBlock) {
  test::Rules rules;
  rules.suffix("a.test", 5);
  rules.always(0);
  const Applied good = rules.applied();
  ASSERT_TRUE(test::build(good));
  const auto refused = [](const Applied& applied) {
    const auto built = test::build(applied);
    return built ? std::string("accepted") : built.error().place + ": " + built.error().reason;
  };
  Applied a = good;
  a.manifest.rules[1].outbound = 9;
  EXPECT_EQ(refused(a), "rules[1].outbound: names no outbound");
  a = good;
  a.manifest.rules[0].type = "\xff";
  EXPECT_EQ(refused(a), "rules[0].type: must be 1 to 256 bytes of valid UTF-8");
  a = good;
  a.manifest.rules[0].payload.assign(1025, 'a');
  EXPECT_EQ(refused(a), "rules[0].payload: must be at most 1024 bytes of valid UTF-8");
  a = good;
  a.manifest.rules.pop_back();
  EXPECT_EQ(refused(a), "ruleset: its block has 2 lines, the manifest 1");
  a = good;
  a.blobs.clear();
  EXPECT_EQ(refused(a), "ruleset: its block has not been sent");
  a = good;
  a.blobs[a.manifest.ruleset] = nullptr;
  EXPECT_EQ(refused(a), "ruleset: its block has not been sent");
  a = good;
  const ByteView block = a.blobs[a.manifest.ruleset]->bytes;
  std::vector<std::byte> bytes(block.begin(), block.end());
  bytes[100] ^= std::byte{1};
  test::set_block(a, std::move(bytes));
  EXPECT_EQ(refused(a), "ruleset: its block is refused at byte 32: checksum does not agree");
}

TEST(BuildSnapshot, NoRulesNeedNoBlock) {
  Applied applied = test::base();
  applied.manifest.ruleset = {};
  applied.blobs.clear();
  EXPECT_TRUE(test::build(applied));
}

/// A block of two lines and, with their own entries, of two lists of the sniffer.
Applied with_lists() {
  using ruleset::Condition;
  Applied applied = test::base();
  ruleset::Builder rules;
  rules.line(Condition::domain("a.test"));
  rules.always();
  rules.begin_entry();
  rules.place(1, Condition::always());
  for (std::uint32_t line : {2U, 3U}) {
    rules.begin_entry();
    rules.place(line, Condition::domain_suffix("listed.test"));
  }
  applied.manifest.rules = {{"Domain", "a.test", 1, 0}, {"Match", "", 0, 1}};
  test::set_rules(applied, rules);
  applied.manifest.sniffer.enable = true;
  applied.manifest.sniffer.force_domain = 2;
  applied.manifest.sniffer.skip_domain = 3;
  return applied;
}

TEST(BuildSnapshot, ListsOfTheSnifferAndRulesMayNotLeadToEachOther) {
  ASSERT_TRUE(test::build(with_lists())) << test::build(with_lists()).error().reason;
  const std::vector<Hostile> cases = {
      {"ruleset", [](Manifest& m) { m.sniffer.skip_domain.reset(); }},
      {"ruleset", [](Manifest& m) { m.sniffer.skip_source = 2; }},
      {"sniffer", [](Manifest& m) { m.sniffer.skip_domain = 4; }},
      {"sniffer", [](Manifest& m) { m.sniffer.skip_domain = 0; }},
      {"sniffer", [](Manifest& m) { m.sniffer.skip_domain = 1; }},
      {"ruleset", [](Manifest& m) { m.sniffer.skip_domain = 2; }},
      {"listeners[0].rule_entry", [](Manifest& m) { m.listeners[0].rule_entry = 3; }},
  };
  for (const Hostile& hostile : cases) {
    Applied applied = with_lists();
    hostile.change(applied.manifest);
    const auto built = test::build(applied);
    ASSERT_FALSE(built) << hostile.place;
    EXPECT_EQ(built.error().place, hostile.place) << built.error().reason;
  }
}

}  // namespace
}  // namespace sluice::route
