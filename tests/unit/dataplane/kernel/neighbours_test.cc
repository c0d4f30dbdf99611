// Neighbours of a real kernel, in a namespace of their own.
#include "dataplane/kernel/neighbours.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "dataplane/kernel/limits.h"
#include "kernel_test_support.h"

namespace sluice::kernel {
namespace {

constexpr std::uint64_t kOne = 0x0200'0000'0001;
constexpr std::uint64_t kTwo = 0x0200'0000'0002;
const IpAddress k4 = *IpAddress::parse("192.168.7.9");
const IpAddress k6 = *IpAddress::parse("fd07::9");

void add(const std::string& ip, const std::string& mac, const char* state = "reachable") {
  ASSERT_EQ(
      std::system(("ip neigh replace " + ip + " lladdr " + mac + " dev lan0 nud " + state).c_str()),
      0);
}

bool holds(const std::vector<Neighbour>& all, const IpAddress& ip, std::uint64_t mac) {
  return std::ranges::find(all, Neighbour{ip, mac}) != all.end();
}

class Neighbours : public test::Namespace {
 protected:
  /// News until `ip` is among them.
  static std::vector<Neighbour> news_of(const NeighbourSource& source, const IpAddress& ip) {
    std::vector<Neighbour> heard;
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(source.drain(heard));
      if (std::ranges::find(heard, ip, &Neighbour::ip) != heard.end()) break;
      pollfd waiting{source.fd(), POLLIN, 0};
      ::poll(&waiting, 1, 20);
    }
    return heard;
  }
};

TEST_F(Neighbours, ADumpHasBothFamiliesAndOnlyDevices) {
  add("192.168.7.9", "02:00:00:00:00:01");
  add("fd07::9", "02:00:00:00:00:02");
  add("192.168.7.10", "02:00:00:00:00:03", "noarp");
  ASSERT_EQ(std::system("ip neigh add 192.168.7.11 dev lan0 nud failed"), 0);
  const auto source = NeighbourSource::open();
  ASSERT_TRUE(source);
  std::vector<Neighbour> known;
  ASSERT_TRUE(source->dump(known));
  EXPECT_TRUE(holds(known, k4, kOne));
  EXPECT_TRUE(holds(known, k6, kTwo));
  EXPECT_EQ(known.size(), 2U) << "no multicast, no address that did not answer";
}

TEST_F(Neighbours, NewsTellWhoCameAndWhoTookAnAddressOver) {
  const auto source = NeighbourSource::open();
  ASSERT_TRUE(source);
  add("192.168.7.9", "02:00:00:00:00:01");
  EXPECT_TRUE(holds(news_of(*source, k4), k4, kOne));
  add("192.168.7.9", "02:00:00:00:00:02");
  EXPECT_TRUE(holds(news_of(*source, k4), k4, kTwo));
  add("fd07::9", "02:00:00:00:00:01");
  EXPECT_TRUE(holds(news_of(*source, k6), k6, kOne));
}

TEST_F(Neighbours, LostNewsAreSaid) {
  const auto source = NeighbourSource::open();
  ASSERT_TRUE(source);
  const int least = 1;
  ASSERT_EQ(::setsockopt(source->fd(), SOL_SOCKET, SO_RCVBUF, &least, sizeof least), 0);
  for (int i = 1; i < 250; ++i) add("192.168.7." + std::to_string(i), "02:00:00:00:00:01");
  std::vector<Neighbour> heard;
  EXPECT_FALSE(source->drain(heard));
  EXPECT_TRUE(source->drain(heard)) << "said once";
  ASSERT_TRUE(source->dump(heard));
  EXPECT_TRUE(holds(heard, *IpAddress::parse("192.168.7.249"), kOne));
}

TEST(NeighbourTable, FindsEachAndNothingElse) {
  std::vector<Neighbour> some;
  for (std::uint32_t i = 0; i < 500; ++i) some.push_back({IpAddress::v4(i * 7), i + 1});
  some.push_back({k6, kTwo});
  const NeighbourTable table(some);
  for (const Neighbour& n : some) EXPECT_EQ(table.mac_of(n.ip), n.mac);
  EXPECT_EQ(table.mac_of(IpAddress::v4(8)), 0U);
  EXPECT_EQ(table.mac_of(IpAddress{}), 0U);
  EXPECT_EQ(NeighbourTable({}).mac_of(k4), 0U);
}

TEST(NeighbourBook, TellsChangesFromRepetitions) {
  NeighbourBook book;
  EXPECT_TRUE(book.learn({k4, kOne}));
  EXPECT_FALSE(book.learn({k4, kOne}));
  EXPECT_TRUE(book.learn({k4, kTwo}));
  EXPECT_EQ(book.table()->mac_of(k4), kTwo);
  EXPECT_EQ(book.table()->count(), 1U);
}

TEST(NeighbourBook, WhenItIsFullTheOneHeardLongestAgoGoes) {
  NeighbourBook book;
  for (std::uint32_t i = 0; i < kMaxNeighbours; ++i) book.learn({IpAddress::v4(i), 1});
  book.learn({IpAddress::v4(0), 1});
  EXPECT_TRUE(book.learn({k6, kOne}));
  const auto table = book.table();
  EXPECT_EQ(table->count(), kMaxNeighbours);
  EXPECT_EQ(table->mac_of(IpAddress::v4(0)), 1U);
  EXPECT_EQ(table->mac_of(IpAddress::v4(1)), 0U);
  EXPECT_EQ(table->mac_of(k6), kOne);
}

}  // namespace
}  // namespace sluice::kernel
