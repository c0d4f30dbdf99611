#include "dataplane/sniff/bittorrent.h"

#include "tests/unit/dataplane/sniff/answers.h"
#include "tests/unit/dataplane/sniff/hellos.h"

namespace sluice::sniff {
namespace {

using namespace test;

bool seen(const std::string& datagram) {
  const std::vector<char> exact(datagram.begin(), datagram.end());
  return is_bittorrent_datagram(as_byte_view({exact.data(), exact.size()}));
}

void expect_only_whole(const std::string& datagram) {
  EXPECT_TRUE(seen(datagram));
  for (std::size_t cut = 0; cut < datagram.size(); ++cut)
    EXPECT_FALSE(seen(datagram.substr(0, cut))) << cut;
  EXPECT_FALSE(seen(datagram + "x"));
}

TEST(SniffBittorrent, HandshakeOfPeersIsFound) {
  expect_found(
      "\x13"
      "BitTorrent protocol" +
          std::string(48, 'h'),
      Protocol::bittorrent, "");
  expect_nothing(
      "\x13"
      "BitTorrent Protocol");
  expect_nothing(
      "\x12"
      "BitTorrent protocol");
}

std::string utp(std::uint64_t type_version, std::uint64_t difference, std::uint64_t acknowledged) {
  return number(type_version, 1) + number(0, 1) + "id" + "time" + number(difference, 4) + "wind" +
         "sq" + number(acknowledged, 2);
}

TEST(SniffBittorrent, UtpSynIsFound) {
  const std::string syn = utp(0x41, 0, 0);
  expect_only_whole(syn);
  std::string extended = syn;
  extended[1] = 2;
  expect_only_whole(extended + number(0, 1) + sized(std::string(8, '\0'), 1));
  EXPECT_FALSE(seen(utp(0x01, 0, 0)));
  EXPECT_FALSE(seen(utp(0x41, 1, 0)));
  EXPECT_FALSE(seen(utp(0x41, 0, 1)));
}

TEST(SniffBittorrent, ConnectRequestToATrackerIsFound) {
  expect_only_whole(number(0x41727101980, 8) + number(0, 4) + "tran");
  EXPECT_FALSE(seen(number(0x41727101980, 8) + number(1, 4) + "tran"));
  EXPECT_FALSE(seen(number(0x41727101981, 8) + number(0, 4) + "tran"));
}

// The examples of BEP 5.
TEST(SniffBittorrent, MessagesOfTheDhtAreFound) {
  expect_only_whole("d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe");
  expect_only_whole(
      "d1:rd2:id20:abcdefghij01234567895:nodes9:def456...5:token8:aoeusnthe1:t2:aa1:y1:re");
  expect_only_whole("d1:eli201e23:A Generic Error Ocurrede1:t2:aa1:y1:ee");
}

TEST(SniffBittorrent, OtherDictionariesAreNot) {
  EXPECT_FALSE(seen("de"));
  EXPECT_FALSE(seen("d1:t2:aae"));
  EXPECT_FALSE(seen("d1:y1:xe"));
  EXPECT_FALSE(seen("d1:yi1ee"));
  EXPECT_FALSE(seen("d1:ad1:y1:qee"));  // not the outer one's
  EXPECT_FALSE(seen("di1e1:y1:qe"));    // a key that is no string
  EXPECT_FALSE(seen("d1:a" + std::string(20, 'l') + std::string(20, 'e') + "1:y1:qe"));
  EXPECT_FALSE(seen("d1:a999999999:x1:y1:qe"));
}

}  // namespace
}  // namespace sluice::sniff
