#include "proto/wire/enums.h"

#include <gtest/gtest.h>

#include <set>

namespace sluice::wire {
namespace {

/// Every plain value 0..last has a number of its own, comes back from it, and every other number
/// within and around the protobuf enum is refused.
template <class Plain, class Wire>
void check(Plain last, Wire max, const char* what) {
  std::set<Wire> used;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto plain = static_cast<Plain>(i);
    const Wire wire = to_wire(plain);
    EXPECT_TRUE(used.insert(wire).second) << what << " " << i;
    Finding found;
    Plain back = static_cast<Plain>(i == 0 ? 1 : 0);
    from_wire(Scope(found), "field", wire, back);
    EXPECT_FALSE(found.first) << what << " " << i;
    EXPECT_EQ(back, plain) << what;
  }
  for (int i = -1; i <= static_cast<int>(max) + 2; ++i) {
    const auto wire = static_cast<Wire>(i);
    Finding found;
    Plain out = last;
    from_wire(Scope(found), "field", wire, out);
    EXPECT_EQ(found.first.has_value(), !used.contains(wire)) << what << " " << i;
    if (found.first) {
      EXPECT_EQ(found.first->place, "field");
    }
  }
}

TEST(WireEnums, EveryValueHasOneNumberAndUnknownNumbersAreRefused) {
  check(Network::udp, v1::Network_MAX, "network");
  check(contract::Mode::direct, v1::Mode_MAX, "mode");
  check(contract::OutboundKind::unbuilt, v1::OutboundKind_MAX, "outbound kind");
  check(contract::IpVersion::prefer_v6, v1::IpVersion_MAX, "ip version");
  check(contract::Cipher::chacha20_ietf_poly1305, v1::Cipher_MAX, "cipher");
  check(contract::ListenerKind::tproxy, v1::ListenerKind_MAX, "listener kind");
  check(contract::CaptureMode::redirect, v1::CaptureMode_MAX, "capture mode");
  check(contract::RemovedFlows::close, v1::RemovedFlows_MAX, "removed flows");
  check(contract::NamePurpose::bootstrap, v1::NamePurpose_MAX, "purpose");
  check(contract::InboundType::inner, v1::InboundType_MAX, "inbound type");
  check(contract::DnsMode::hosts, v1::DnsMode_MAX, "dns mode");
  check(contract::FlowState::closed, v1::FlowState_MAX, "flow state");
  check(contract::CaptureState::failed, v1::CaptureState_MAX, "capture state");
  check(LogLevel::error, v1::LogLevel_MAX, "log level");
}

TEST(WireEnums, NumbersOfThisVersionNeverChange) {
  EXPECT_EQ(static_cast<int>(to_wire(contract::Mode::rule)), 1);
  EXPECT_EQ(static_cast<int>(to_wire(contract::OutboundKind::unbuilt)), 9);
  EXPECT_EQ(static_cast<int>(to_wire(contract::Cipher::none)), 0);
  EXPECT_EQ(static_cast<int>(to_wire(contract::Cipher::aes_256_gcm)), 2);
  EXPECT_EQ(static_cast<int>(to_wire(contract::ListenerKind::mixed)), 3);
  EXPECT_EQ(static_cast<int>(to_wire(contract::NamePurpose::proxy_server)), 3);
  EXPECT_EQ(static_cast<int>(to_wire(contract::InboundType::inner)), 7);
}

TEST(WireEnums, NameErrorsKeepTheirMeaning) {
  for (const Errc code : {Errc::none, Errc::no_address, Errc::timeout, Errc::loop, Errc::refused,
                          Errc::unreachable, Errc::invalid, Errc::no_room, Errc::cancelled})
    EXPECT_EQ(name_error_from_wire(name_error_to_wire(code)), code);
  EXPECT_EQ(name_error_to_wire(Errc::bad_tag), v1::NAME_ERROR_FAILED);
  EXPECT_EQ(name_error_from_wire(static_cast<v1::NameError>(99)), Errc::system);
}

}  // namespace
}  // namespace sluice::wire
