#include "proto/runtime/process/users.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "in_child.h"
#include "proto/runtime/process/paths.h"

namespace sluice {
namespace {

using test::run_in_child;

TEST(FindUser, KnowsRootAndNotOthers) {
  const Result<UserIds> root = find_user("root");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->uid, 0U);
  EXPECT_EQ(root->gid, 0U);
  EXPECT_EQ(find_user("no-such-user-here").error().code, Errc::not_found);
  EXPECT_EQ(find_group("no-such-group-here").error().code, Errc::not_found);
}

TEST(CreateUserCommands, ReuseAGroupThatExists) {
  const auto contains = [](const std::vector<std::string>& list, const char* word) {
    return std::ranges::find(list, word) != list.end();
  };
  EXPECT_TRUE(contains(create_user_commands("no-such-user-here", "/").useradd, "--user-group"));
  EXPECT_TRUE(contains(create_user_commands("root", "/").useradd, "--gid"));
}

/// A private /etc with a copy of the account files, gone with the child.
bool enter_private_etc() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         std::system(
             "set -e; umask 022; d=$(mktemp -d); mount -t tmpfs none $d;"
             "cp -a /etc/. $d; sed -i '/^sluice/d' $d/passwd $d/group;"
             "for f in shadow gshadow; do [ ! -e $d/$f ] || sed -i '/^sluice/d' $d/$f; done;"
             "mount --move $d /etc; rmdir $d") == 0;
}

TEST(EnsureUsers, CreatesBothOnceWithGroupsOfTheirOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: creates users in a private /etc";
  EXPECT_EQ(run_in_child([] {
              CHILD_REQUIRE(enter_private_etc());
              CHILD_REQUIRE(!find_user(kControlUser) && !find_user(kDataUser));
              CHILD_REQUIRE(ensure_users());
              const Result<UserIds> control = find_user(kControlUser);
              const Result<UserIds> data = find_user(kDataUser);
              CHILD_REQUIRE(control && data && control->uid != data->uid);
              CHILD_REQUIRE(find_group(kControlUser).value() == control->gid);
              CHILD_REQUIRE(find_group(kDataUser).value() == data->gid);
              CHILD_REQUIRE(ensure_users());
              CHILD_REQUIRE(find_user(kControlUser)->uid == control->uid);
              return 0;
            }),
            0);
}

TEST(Places, FollowTheUserAndItsEnvironment) {
  EXPECT_EQ(run_in_child([] {
              ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
              ::setenv("XDG_STATE_HOME", "/state", 1);
              CHILD_REQUIRE(default_run_directory(0) == "/run/sluice");
              CHILD_REQUIRE(default_home(0) == "/var/lib/sluice");
              CHILD_REQUIRE(default_run_directory(7) == "/run/user/7/sluice");
              CHILD_REQUIRE(default_home(7) == "/state/sluice");
              ::setenv("XDG_STATE_HOME", "relative", 1);
              ::unsetenv("XDG_RUNTIME_DIR");
              ::setenv("HOME", "/home/u", 1);
              CHILD_REQUIRE(default_home(7) == "/home/u/.local/state/sluice");
              CHILD_REQUIRE(default_run_directory(7) == "/home/u/.local/state/sluice/run");
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace sluice
