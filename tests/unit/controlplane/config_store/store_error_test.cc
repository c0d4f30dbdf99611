#include "controlplane/config_store/store_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace sluice::config_store {
namespace {

// A sentence of ours has two halves: what is wrong; what to do.
TEST(StoreError, EverySentenceNamesAFix) {
  for (int fault = 0; fault <= static_cast<int>(StoreFault::not_pending); ++fault) {
    const std::string text = describe({static_cast<StoreFault>(fault), "/etc/c.yaml", 0});
    EXPECT_NE(text.find(';'), std::string::npos) << text;
    EXPECT_GT(text.size() - text.find(';'), 15u) << text;
  }
}

TEST(StoreError, NamesThePathAndTheReason) {
  const std::string text = describe({StoreFault::read_only, "/etc/c.yaml", EROFS});
  EXPECT_NE(text.find("/etc/c.yaml"), std::string::npos);
  EXPECT_NE(text.find("Read-only file system"), std::string::npos);
}

}  // namespace
}  // namespace sluice::config_store
