#include "controlplane/manage/admit.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <utility>

#include "rig.h"

namespace sluice::manage {
namespace {

constexpr uid_t kStranger = 65534;
constexpr uid_t kOwn = 4242;
constexpr gid_t kGroup = 4243;

Peer peer(uid_t uid, gid_t gid, std::vector<gid_t> groups = {}) {
  return {{1, uid, gid}, std::move(groups)};
}

TEST(Admit, RootAndTheOwnUserAlways) {
  EXPECT_TRUE(admitted(peer(0, 0), {kOwn, std::nullopt}));
  EXPECT_TRUE(admitted(peer(kOwn, 1), {kOwn, std::nullopt}));
}

TEST(Admit, MembersOfTheGroupHoweverTheyAreMembers) {
  const AdmitPolicy policy{kOwn, kGroup};
  EXPECT_TRUE(admitted(peer(1000, kGroup), policy));
  EXPECT_TRUE(admitted(peer(1000, 1000, {4, 20, kGroup}), policy));
  EXPECT_FALSE(admitted(peer(1000, 1000, {4, 20}), policy));
}

TEST(Admit, WithoutAGroupNobodyElse) {
  const AdmitPolicy policy{kOwn, std::nullopt};
  EXPECT_FALSE(admitted(peer(1000, kGroup, {kGroup}), policy));
  EXPECT_FALSE(admitted(peer(kStranger, 0, {0}), policy)) << "group root is no membership";
}

/// Connects in a child with other credentials and speaks HTTP/2's first bytes. True when the server
/// answered (its SETTINGS frame), false when it closed.
bool answered_as(const std::string& path, uid_t uid, gid_t gid, const std::vector<gid_t>& groups) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(groups.size(), groups.data()) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0)
      ::_exit(3);
    const Result<UniqueFd> fd = connect_unix(path);
    if (!fd) ::_exit(4);
    ::fcntl(fd->get(), F_SETFL, 0);
    static constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
    if (::send(fd->get(), kPreface, sizeof kPreface - 1, MSG_NOSIGNAL) < 0) ::_exit(1);
    char byte = 0;
    ::_exit(::read(fd->get(), &byte, 1) == 1 ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class AdmitSocketTest : public Rig {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    Rig::SetUp();
    stop();
    start({kOwn, kGroup});
    // The mode keeps strangers out before we do; here the decision itself is tested.
    ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
  }
};

TEST_F(AdmitSocketTest, AStrangerIsClosedBeforeGrpcAnswers) {
  EXPECT_FALSE(answered_as(path(), kStranger, kStranger, {}));
  EXPECT_FALSE(answered_as(path(), kStranger, 0, {0}));
}

TEST_F(AdmitSocketTest, OwnUserAndMembersAreServed) {
  EXPECT_TRUE(answered_as(path(), kOwn, kOwn, {}));
  EXPECT_TRUE(answered_as(path(), kStranger, kGroup, {}));
  EXPECT_TRUE(answered_as(path(), kStranger, kStranger, {7, kGroup}));
}

TEST_F(AdmitSocketTest, AMemberOfVeryManyGroupsIsServed) {
  std::vector<gid_t> groups;
  for (gid_t g = 10'000; g < 10'200; ++g) groups.push_back(g);
  EXPECT_FALSE(answered_as(path(), kStranger, kStranger, groups));
  groups.push_back(kGroup);
  EXPECT_TRUE(answered_as(path(), kStranger, kStranger, groups));
}

TEST_F(AdmitSocketTest, TheSocketBelongsToTheGroup) {
  struct stat info{};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_gid, kGroup);
}

}  // namespace
}  // namespace sluice::manage
