#include "proto/wire/manifest.h"

#include <gtest/gtest.h>

#include <functional>

#include "proto/wire/bounds.h"
#include "proto/wire/manifest_bytes.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::wire {
namespace {

TEST(WireManifest, RoundTripsWithEveryFieldSet) {
  const contract::Manifest in = test::sample_manifest();
  const auto out = manifest_from_bytes(as_byte_view(manifest_to_bytes(in)));
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, in);
}

TEST(WireManifest, RoundTripsAnEmptyOne) {
  const contract::Manifest in;
  const auto out = manifest_from_bytes(as_byte_view(manifest_to_bytes(in)));
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, in);
}

TEST(WireManifest, NoProperPrefixOfTheBytesIsTakenForTheWhole) {
  const contract::Manifest in = test::sample_manifest();
  const std::string bytes = manifest_to_bytes(in);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    const auto out = manifest_from_bytes(as_byte_view(bytes).first(cut));
    EXPECT_FALSE(out && *out == in) << cut;
  }
}

// The contract version before it had no such field.
TEST(WireManifest, ARuleWithoutANumberIsKnownByItsPlace) {
  v1::Manifest message;
  encode(test::sample_manifest(), &message);
  for (v1::RuleLine& rule : *message.mutable_rules()) rule.clear_number();
  const auto out = decode(message);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(out->rules[0].number, 0U);
  EXPECT_EQ(out->rules[1].number, 1U);
}

// For a REMATCH "no name" and "the empty name" differ, and so do "no entry" and "entry 0".
TEST(WireManifest, WhatARematchLeavesAloneStaysAbsent) {
  contract::Manifest in = test::sample_manifest();
  in.outbounds[0].rematch_name.reset();
  in.outbounds[0].rematch_entry = 0;
  in.outbounds[1].rematch_name = "";
  in.outbounds[1].rematch_entry.reset();
  const auto out = manifest_from_bytes(as_byte_view(manifest_to_bytes(in)));
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, in);
}

struct Hostile {
  const char* place;
  std::function<void(v1::Manifest&)> spoil;
};

TEST(WireManifest, HostileFieldsAreRefusedAtTheirPlace) {
  const std::string mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 16);
  const Hostile cases[] = {
      {"mode", [](auto& m) { m.set_mode(v1::MODE_UNSPECIFIED); }},
      {"mode", [](auto& m) { m.set_mode(static_cast<v1::Mode>(99)); }},
      {"interface_name", [](auto& m) { m.set_interface_name("sixteen-bytes-xx"); }},
      {"interface_name", [](auto& m) { m.set_interface_name("a/b"); }},
      {"outbounds[0].name", [](auto& m) { m.mutable_outbounds(0)->clear_name(); }},
      {"outbounds[1].name",
       [](auto& m) { m.mutable_outbounds(1)->set_name(std::string(kMaxLabel + 1, 'x')); }},
      {"outbounds[1].name", [](auto& m) { m.mutable_outbounds(1)->set_name({"a\0b", 3}); }},
      {"outbounds[0].kind", [](auto& m) { m.mutable_outbounds(0)->clear_kind(); }},
      {"outbounds[0].server", [](auto& m) { m.mutable_outbounds(0)->set_server("No Name"); }},
      {"outbounds[0].port", [](auto& m) { m.mutable_outbounds(0)->set_port(65536); }},
      {"outbounds[0].ip_version", [](auto& m) { m.mutable_outbounds(0)->clear_ip_version(); }},
      {"outbounds[0].cipher",
       [](auto& m) { m.mutable_outbounds(0)->set_cipher(static_cast<v1::Cipher>(77)); }},
      {"outbounds[0].password",
       [](auto& m) { m.mutable_outbounds(0)->set_password(std::string(kMaxSecret + 1, 'x')); }},
      {"rules[1].type", [](auto& m) { m.mutable_rules(1)->clear_type(); }},
      {"rules[0].payload",
       [](auto& m) { m.mutable_rules(0)->set_payload(std::string(kMaxText + 1, 'x')); }},
      {"rules[1].number", [](auto& m) { m.mutable_rules(1)->set_number(0x80000000U); }},
      {"ruleset", [](auto& m) { m.set_ruleset("short"); }},
      {"listeners[0].kind", [](auto& m) { m.mutable_listeners(0)->clear_kind(); }},
      {"listeners[0].address", [](auto& m) { m.mutable_listeners(0)->clear_address(); }},
      {"listeners[0].address", [](auto& m) { m.mutable_listeners(0)->set_address("12345"); }},
      {"listeners[0].address", [&](auto& m) { m.mutable_listeners(0)->set_address(mapped); }},
      {"listeners[0].port", [](auto& m) { m.mutable_listeners(0)->set_port(0); }},
      {"listeners[0].port", [](auto& m) { m.mutable_listeners(0)->set_port(70000); }},
      {"listeners[0].users[1].name",
       [](auto& m) { m.mutable_listeners(0)->mutable_users(1)->clear_name(); }},
      {"listeners[0].allowed_sources[1].length",
       [](auto& m) { m.mutable_listeners(0)->mutable_allowed_sources(1)->set_length(129); }},
      {"listeners[0].denied_sources[0].base",
       [](auto& m) { m.mutable_listeners(0)->mutable_denied_sources(0)->set_length(24); }},
      {"capture.mode", [](auto& m) { m.mutable_capture()->clear_mode(); }},
      {"capture.interfaces[0]", [](auto& m) { m.mutable_capture()->set_interfaces(0, ""); }},
      {"capture.interfaces",
       [](auto& m) {
         for (std::size_t i = 0; i <= kMaxDevices; ++i) m.mutable_capture()->add_interfaces("x");
       }},
      {"capture.dns[0].tcp", [](auto& m) { m.mutable_capture()->mutable_dns(0)->set_tcp(65536); }},
      {"fake_ranges[1].base", [](auto& m) { m.mutable_fake_ranges(1)->set_base("abc"); }},
      {"limits.udp_idle_ms", [](auto& m) { m.mutable_limits()->set_udp_idle_ms(-1); }},
      {"limits.udp_question_idle_ms",
       [](auto& m) { m.mutable_limits()->set_udp_question_idle_ms(-1); }},
      {"limits.connect_ms", [](auto& m) { m.mutable_limits()->set_connect_ms(INT64_MAX); }},
      {"limits.keep_alive_idle_s",
       [](auto& m) { m.mutable_limits()->set_keep_alive_idle_s(40000); }},
      {"removed_flows", [](auto& m) { m.clear_removed_flows(); }},
  };
  for (const Hostile& hostile : cases) {
    v1::Manifest message;
    encode(test::sample_manifest(), &message);
    hostile.spoil(message);
    const auto out = decode(message);
    ASSERT_FALSE(out) << hostile.place;
    EXPECT_EQ(out.error().place, hostile.place);
    EXPECT_FALSE(out.error().reason.empty()) << hostile.place;
  }
}

TEST(WireManifest, MoreItemsThanTheBoundAreRefusedUnread) {
  v1::Manifest message;
  encode(test::sample_manifest(), &message);
  for (std::size_t i = 0; i <= kMaxListeners; ++i) message.add_listeners();
  const auto out = decode(message);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().place, "listeners");
}

TEST(WireManifest, BytesThatAreNoMessageAreRefused) {
  const auto out = manifest_from_bytes(as_byte_view("\xff\xff\xff\xff\xff"));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().place, "manifest");
}

TEST(WireManifest, InvalidUtf8IsRefused) {
  contract::Manifest in = test::sample_manifest();
  in.outbounds[0].name = "\xc3\x28";
  EXPECT_FALSE(manifest_from_bytes(as_byte_view(manifest_to_bytes(in))));
}

TEST(WireManifest, FieldsOfANewerPeerAreIgnored) {
  const contract::Manifest in = test::sample_manifest();
  // Field 1000, length-delimited, "new".
  const std::string bytes = manifest_to_bytes(in) + std::string("\xc2\x3e\x03new", 6);
  const auto out = manifest_from_bytes(as_byte_view(bytes));
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, in);
}

TEST(WireVerdict, RoundTrips) {
  const contract::Verdict in{true, 7, "no", "outbounds[1]"};
  v1::Verdict message;
  encode(in, &message);
  const auto out = decode(message);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->accepted, in.accepted);
  EXPECT_EQ(out->generation, in.generation);
  EXPECT_EQ(out->reason, in.reason);
  EXPECT_EQ(out->place, in.place);
}

TEST(WireSelect, RoundTripsAndRefusesEmptyOnes) {
  const std::vector<contract::GroupChoice> in{{"G", "a"}, {"H", "b"}};
  v1::SelectRequest message;
  encode(in, &message);
  EXPECT_EQ(decode(message).value_or(std::vector<contract::GroupChoice>{}), in);
  message.mutable_choices(1)->clear_member();
  EXPECT_EQ(decode(message).error().place, "choices[1].member");
  EXPECT_EQ(decode(v1::SelectRequest{}).error().place, "choices");
}

}  // namespace
}  // namespace sluice::wire
