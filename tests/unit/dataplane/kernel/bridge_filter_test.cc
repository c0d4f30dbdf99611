#include "dataplane/kernel/bridge_filter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace sluice::kernel {
namespace {

TEST(BridgeFilter, IsActiveWhenEitherFamilyIs) {
  std::string directory = ::testing::TempDir() + "bridge-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  EXPECT_FALSE(bridge_filter_active(directory)) << "no module, no files";
  std::ofstream(directory + "/bridge-nf-call-iptables") << "0\n";
  std::ofstream(directory + "/bridge-nf-call-ip6tables") << "0\n";
  EXPECT_FALSE(bridge_filter_active(directory));
  std::ofstream(directory + "/bridge-nf-call-ip6tables") << "1\n";
  EXPECT_TRUE(bridge_filter_active(directory));
}

}  // namespace
}  // namespace sluice::kernel
