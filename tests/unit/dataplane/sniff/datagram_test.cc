#include "dataplane/sniff/datagram.h"

#include "dataplane/sniff/stun.h"
#include "tests/unit/dataplane/sniff/flow.h"
#include "tests/unit/dataplane/sniff/hellos.h"

namespace sluice::sniff {
namespace {

using namespace test;

std::string stun(std::uint64_t type, std::string_view attributes) {
  return number(type, 2) + number(attributes.size(), 2) + number(0x2112a442, 4) +
         std::string(12, 't') + std::string(attributes);
}

TEST(SniffDatagram, StunIsToldByItsFirstMessage) {
  const std::string request = stun(0x0001, "\x80\x22" + sized("name", 2));
  expect_found_last({request}, Protocol::stun, "");
  expect_found_last({stun(0x0011, "")}, Protocol::stun, "");
  for (std::size_t cut = 0; cut < request.size(); ++cut)
    EXPECT_FALSE(is_stun(as_byte_view(std::string_view(request).substr(0, cut)))) << cut;
  EXPECT_FALSE(is_stun(as_byte_view(request + "more")));
  EXPECT_FALSE(is_stun(as_byte_view(stun(0x4001, ""))));
  EXPECT_FALSE(is_stun(as_byte_view(stun(0x0001, "odd"))));
  std::string other = request;
  other[4] = 0;
  EXPECT_FALSE(is_stun(as_byte_view(other)));
}

TEST(SniffDatagram, BittorrentIsToldByItsFirstDatagram) {
  expect_found_last({"d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe"},
                    Protocol::bittorrent, "");
}

TEST(SniffDatagram, OthersAreNothingAndStayThat) {
  for (const std::string& first : {std::string(), std::string("x"), std::string(1200, '\0'),
                                   std::string("\xc0"), std::string("\x16")}) {
    Flow flow;
    EXPECT_EQ(flow.feed(first).verdict, Verdict::nothing);
    EXPECT_EQ(flow.feed(stun(1, "")).verdict, Verdict::nothing);
  }
}

TEST(SniffDatagram, WhatAFlowHoldsIsSmall) {
  EXPECT_LE(sizeof(DatagramSniffer), 5120U);
  EXPECT_LE(sizeof(InitialOpener), 2176U);
}

}  // namespace
}  // namespace sluice::sniff
