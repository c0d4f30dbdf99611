#include "controlplane/clients/client_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace sluice::clients {
namespace {

constexpr const char* kLeases =
    "1764547200 02:00:5e:10:00:01 192.168.1.20 phone 01:02:00:5e:10:00:01\n"
    "0 02:00:5E:10:00:02 192.168.1.21 * *\n"
    "1764547200 06-02:00:5e:10:00:03 192.168.1.22 printer *\n"
    "duid 00:01:00:01:2c:aa:bb:cc:02:00:5e:10:00:09\n"
    "1764547200 305419896 fd00::20 phone 00:01:00:01:2c\n"
    "not a lease at all\n"
    "1764547200 02:00:5e:10:00:04 192.168.1.300 x *\n"
    "1764547200 02:00:5e:10:00:05 192.168.1.25";

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

class ClientNamesTest : public testing::Test {
 protected:
  ClientNamesTest() {
    file_ =
        (std::filesystem::temp_directory_path() / ("sluice-leases-" + std::to_string(::getpid())))
            .string();
    write(kLeases);
    names.set_leases(file_);
    names.set_reader([this]() -> Result<Neighbours> {
      ++asked;
      return heard;
    });
  }
  ~ClientNamesTest() override { std::filesystem::remove(file_); }
  void write(const std::string& text) { std::ofstream(file_) << text; }

  ClientNames names;
  Neighbours heard;
  int asked = 0;
  Moment now{1'000'000};

 private:
  std::string file_;
};

TEST(Leases, ReadsBothFamiliesAndLeavesOutWhatIsNoLease) {
  const auto leases = parse_leases(kLeases);
  ASSERT_EQ(leases.size(), 4U);
  EXPECT_EQ(leases[0].name, "phone");
  EXPECT_EQ(leases[0].mac, 0x02005e100001U);
  EXPECT_EQ(leases[1].name, "");
  EXPECT_EQ(mac_text(leases[1].mac), "02:00:5e:10:00:02");
  EXPECT_EQ(leases[2].mac, 0x02005e100003U);
  EXPECT_EQ(leases[3].ip, ip("fd00::20"));
  EXPECT_EQ(leases[3].mac, 0U);
}

TEST_F(ClientNamesTest, AnAddressWithoutALeaseHasTheNameOfItsDevice) {
  heard[ip("fd00::abcd")] = 0x02005e100001;
  EXPECT_EQ(names.of(ip("fd00::abcd"), now).name, "phone");
  EXPECT_EQ(names.of(ip("fd00::abcd"), now).mac, "02:00:5e:10:00:01");
  EXPECT_EQ(names.of(ip("192.168.1.20"), now).name, "phone");
  EXPECT_EQ(names.of(ip("192.168.1.21"), now).name, "");
  EXPECT_EQ(names.of(ip("192.168.1.99"), now).mac, "");
  EXPECT_EQ(asked, 1) << "the answer is fresh";
}

TEST_F(ClientNamesTest, AChangeIsSeenAfterAWhileAndAFileThatWentLeavesNoNames) {
  EXPECT_EQ(names.of(ip("192.168.1.20"), now).name, "phone");
  write("1764547200 02:00:5e:10:00:01 192.168.1.20 another-phone *\n");
  EXPECT_EQ(names.of(ip("192.168.1.20"), now).name, "phone");
  now = now + ClientNames::kFresh;
  EXPECT_EQ(names.of(ip("192.168.1.20"), now).name, "another-phone");
  names.set_leases("/nowhere/leases");
  EXPECT_EQ(names.of(ip("192.168.1.20"), now).name, "");
}

TEST(NeighboursOfThisMachine, CanBeReadWithoutPrivileges) {
  const auto found = read_neighbours();
  ASSERT_TRUE(found);
  for (const auto& [address, mac] : *found) EXPECT_NE(mac, 0U) << address.to_string();
}

}  // namespace
}  // namespace sluice::clients
