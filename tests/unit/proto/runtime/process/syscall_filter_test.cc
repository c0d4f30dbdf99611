#include "proto/runtime/process/syscall_filter.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstdlib>

#include "in_child.h"
#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/syscall_lists.h"

namespace sluice {
namespace {

using test::kKilledBy;
using test::run_in_child;

constexpr SeccompProfile kAll[] = {SeccompProfile::dataplane, SeccompProfile::controlplane,
                                   SeccompProfile::spawner, SeccompProfile::nft_helper,
                                   SeccompProfile::proc_helper};
constexpr SeccompProfile kPlanes[] = {SeccompProfile::dataplane, SeccompProfile::controlplane};

bool enter(SeccompProfile profile) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && apply_seccomp(profile);
}

template <class Call>
int under(SeccompProfile profile, Call call) {
  return run_in_child([&] {
    CHILD_REQUIRE(enter(profile));
    return call();
  });
}

TEST(SeccompProfile, ForbiddenCallsKillTheProcess) {
  for (const SeccompProfile profile : kAll) {
    SCOPED_TRACE(static_cast<int>(profile));
    const int killed = kKilledBy + SIGSYS;
    EXPECT_EQ(under(profile, [] { return ::execl("/bin/true", "true", nullptr); }), killed);
    EXPECT_EQ(under(profile, [] { return (int)::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }),
              killed);
    EXPECT_EQ(under(profile, [] { return ::mount("a", "/", "tmpfs", 0, nullptr); }), killed);
    EXPECT_EQ(under(profile, [] { return ::unshare(CLONE_NEWUSER); }), killed);
    EXPECT_EQ(under(profile, [] { return (int)::syscall(SYS_bpf, 0, nullptr, 0); }), killed);
    EXPECT_EQ(under(profile, [] { return (int)::syscall(SYS_io_uring_setup, 1, nullptr); }),
              killed);
    EXPECT_EQ(under(profile, [] { return (int)::syscall(SYS_keyctl, 0, 0, 0, 0, 0); }), killed);
  }
}

TEST(SeccompProfile, OnlyTheSpawnerMayStartPrograms) {
  const auto start_true = [] {
    const int program = ::open("/bin/true", O_PATH | O_CLOEXEC);
    char name[] = "true";
    char* const argv[] = {name, nullptr};
    char* const environment[] = {nullptr};
    return execute_descriptor(program, argv, environment);
  };
  EXPECT_EQ(under(SeccompProfile::spawner, start_true), 0);
  for (const SeccompProfile profile : kPlanes)
    EXPECT_EQ(under(profile, start_true), kKilledBy + SIGSYS);
}

TEST(SeccompProfile, UnknownCallsFailWithEnosys) {
  for (const SeccompProfile profile : kAll) {
    EXPECT_EQ(under(profile,
                    [] {
                      CHILD_REQUIRE(::syscall(1023) == -1 && errno == ENOSYS);
                      CHILD_REQUIRE(::syscall(SYS_clone3, nullptr, 0) == -1 && errno == ENOSYS);
                      return 0;
                    }),
              0);
  }
}

TEST(SeccompProfile, PlanesMakeThreadsButNoProcesses) {
  for (const SeccompProfile profile : kPlanes) {
    EXPECT_EQ(under(profile,
                    [] {
                      pthread_t thread{};
                      const auto nothing = [](void* argument) -> void* { return argument; };
                      CHILD_REQUIRE(::pthread_create(&thread, nullptr, nothing, nullptr) == 0);
                      CHILD_REQUIRE(::pthread_join(thread, nullptr) == 0);
                      CHILD_REQUIRE(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == -1);
                      return 0;
                    }),
              0);
  }
}

TEST(SeccompProfile, PlanesHaveTheirSocketsPipesAndFiles) {
  for (const SeccompProfile profile : kPlanes) {
    EXPECT_EQ(under(profile,
                    [] {
                      CHILD_REQUIRE(::socket(AF_INET6, SOCK_STREAM, 0) >= 0);
                      CHILD_REQUIRE(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
                      CHILD_REQUIRE(::socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
                      CHILD_REQUIRE(::socket(AF_PACKET, SOCK_RAW, 0) == -1 && errno == ENOSYS);
                      int ends[2];
                      CHILD_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
                      CHILD_REQUIRE(::fcntl(ends[0], F_SETPIPE_SZ, 65536) > 0);
                      CHILD_REQUIRE(
                          ::splice(ends[0], nullptr, ends[1], nullptr, 1, SPLICE_F_NONBLOCK) == -1);
                      CHILD_REQUIRE(errno != ENOSYS);
                      CHILD_REQUIRE(::sendmmsg(-1, nullptr, 0, 0) == -1 && errno == EBADF);
                      CHILD_REQUIRE(::recvmmsg(-1, nullptr, 0, 0, nullptr) == -1 && errno == EBADF);
                      CHILD_REQUIRE(::open("/dev/null", O_RDWR) >= 0);
                      return 0;
                    }),
              0);
  }
}

TEST(SeccompProfile, TheNftHelperOpensNothing) {
  EXPECT_EQ(under(SeccompProfile::nft_helper,
                  [] {
                    CHILD_REQUIRE(::open("/dev/null", O_RDWR) == -1 && errno == ENOSYS);
                    CHILD_REQUIRE(::socket(AF_NETLINK, SOCK_RAW, 0) == -1 && errno == ENOSYS);
                    return 0;
                  }),
            0);
}

// With CAP_SYS_PTRACE an open file could be the memory of any process.
TEST(SeccompProfile, TheProcessHelperListsFoldersAndReadsLinksButOpensNoFile) {
  const auto look = [] {
    CHILD_REQUIRE(::openat(AT_FDCWD, "/proc/self/mem", O_RDONLY) == -1 && errno == ENOSYS);
    CHILD_REQUIRE(::open("/dev/null", O_RDWR) == -1 && errno == ENOSYS);
    CHILD_REQUIRE(::openat(AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR, 0600) == -1 && errno == ENOSYS);
    CHILD_REQUIRE(::openat(AT_FDCWD, "/tmp/none", O_DIRECTORY | O_CREAT, 0600) == -1 &&
                  errno == ENOSYS);
    CHILD_REQUIRE(::socket(AF_NETLINK, SOCK_RAW, 0) == -1 && errno == ENOSYS);
    const int folder = ::openat(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY);
    CHILD_REQUIRE(folder >= 0);
    DIR* stream = ::fdopendir(folder);
    CHILD_REQUIRE(stream != nullptr && ::readdir(stream) != nullptr);
    char target[64];
    CHILD_REQUIRE(::readlinkat(folder, "0", target, sizeof target) > 0);
    return 0;
  };
  EXPECT_EQ(under(SeccompProfile::proc_helper, look), 0);
  EXPECT_EQ(under(SeccompProfile::spawner,
                  [&] {
                    CHILD_REQUIRE(apply_seccomp(SeccompProfile::proc_helper));
                    return look();
                  }),
            0)
      << "as it is started";
}

TEST(SeccompProfile, AHelperCanNarrowTheSpawnersFilter) {
  EXPECT_EQ(under(SeccompProfile::spawner,
                  [] {
                    CHILD_REQUIRE(apply_seccomp(SeccompProfile::nft_helper));
                    CHILD_REQUIRE(::socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == ENOSYS);
                    return 0;
                  }),
            0);
}

// A name in two tiers would make the filter's meaning depend on the order of insertion.
TEST(SyscallLists, AreDisjointFromTheDeadlyOnes) {
  using namespace syscall_lists;
  for (const auto allowed :
       {base(), messages(), network(), files(), processes(), folders(), program_start()}) {
    for (const char* name : allowed) {
      for (const char* other : deadly()) EXPECT_STRNE(name, other);
    }
  }
}

}  // namespace
}  // namespace sluice
