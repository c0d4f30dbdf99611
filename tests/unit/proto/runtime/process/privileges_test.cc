#include "proto/runtime/process/privileges.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "in_child.h"

namespace sluice {
namespace {

using test::run_in_child;

constexpr uid_t kSomeUid = 54321;
constexpr gid_t kSomeGid = 54322;

/// The value after "Name:\t" in /proc/self/status.
std::string status_field(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return {};
}

CapMask status_caps(const std::string& name) {
  return std::stoull(status_field(name), nullptr, 16);
}

class AsRoot : public ::testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: changes user ids";
  }
};

using DropPrivileges = AsRoot;

TEST_F(DropPrivileges, LeavesExactlyThePlanInProcStatus) {
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {77}, kDataPlaneCaps}));
              CHILD_REQUIRE(status_field("Uid") == "54321\t54321\t54321\t54321");
              CHILD_REQUIRE(status_field("Gid") == "54322\t54322\t54322\t54322");
              CHILD_REQUIRE(status_field("Groups") == "77 ");
              CHILD_REQUIRE(status_caps("CapEff") == kDataPlaneCaps);
              CHILD_REQUIRE(status_caps("CapPrm") == kDataPlaneCaps);
              CHILD_REQUIRE(status_caps("CapBnd") == kDataPlaneCaps);
              CHILD_REQUIRE(status_caps("CapInh") == 0 && status_caps("CapAmb") == 0);
              CHILD_REQUIRE(status_field("NoNewPrivs") == "1");
              return 0;
            }),
            0);
}

TEST_F(DropPrivileges, CannotBeTakenBack) {
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {}, kNftHelperCaps}));
              CHILD_REQUIRE(::setuid(0) != 0 && errno == EPERM);
              // A second plan may only shrink.
              CHILD_REQUIRE(!drop_privileges({kSomeUid, kSomeGid, {}, kDataPlaneCaps}));
              return 0;
            }),
            0);
}

TEST_F(DropPrivileges, ForExecSurvivesExec) {
  EXPECT_EQ(run_in_child([] {
              PrivilegePlan plan{kSomeUid, kSomeGid, {}, kControlPlaneCaps, true};
              CHILD_REQUIRE(drop_privileges(plan));
              ::execl("/bin/sh", "sh", "-c",
                      "grep -q 'CapEff:.0000000000000400' /proc/self/status &&"
                      "grep -q 'CapBnd:.0000000000000400' /proc/self/status",
                      nullptr);
              return 1;
            }),
            0);
}

TEST_F(DropPrivileges, WithoutCapabilitiesNoneSurvives) {
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {}, 0}));
              CHILD_REQUIRE(effective_caps() == 0 && bounding_caps() == 0);
              return 0;
            }),
            0);
}

TEST_F(DropPrivileges, RefusesCapabilitiesThatAreNotHeld) {
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {}, 0}));
              const Status again = drop_privileges({kSomeUid, kSomeGid, {}, kNftHelperCaps});
              CHILD_REQUIRE(!again && again.error().sys == EPERM);
              return 0;
            }),
            0);
}

TEST_F(DropPrivileges, SameUserWithoutSetpcapKeepsWorking) {
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {}, kDataPlaneCaps}));
              CHILD_REQUIRE(drop_privileges({kSomeUid, kSomeGid, {}, kNftHelperCaps}));
              CHILD_REQUIRE(effective_caps() == kNftHelperCaps);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace sluice
