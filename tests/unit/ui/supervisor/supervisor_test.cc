// The real program with two planes that only write down what happens to them.
#include "ui/supervisor/supervisor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/users.h"

namespace sluice::supervisor {
namespace {

constexpr char kData[] = "sluice-dataplane";
constexpr char kControl[] = "sluice-controlplane";

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Running : public ::testing::Test {
 protected:
  void SetUp() override {
    root = "/tmp/sluice-supervisor-XXXXXX";
    ASSERT_NE(::mkdtemp(root.data()), nullptr);
    ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
    const std::string bin = root + "/private/bin";
    // As a clone in a 0700 directory: later users cannot look inside.
    ASSERT_EQ(
        std::system(("mkdir -p " + bin + " && cp " SUPERVISOR " " + bin +
                     "/sluice-supervisor &&"
                     "for n in sluice-dataplane sluice-controlplane sluice-nft; do cp " FAKE_PLANE
                     " " +
                     bin + "/$n; done; chmod 0700 " + root +
                     "/private;"
                     ": >" +
                     root + "/log; chmod 0666 " + root +
                     "/log;"
                     "printf one >" +
                     root +
                     "/private/config.yaml;"
                     "chmod 0600 " +
                     root + "/private/config.yaml")
                        .c_str()),
        0);
  }
  void TearDown() override {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
      EXPECT_TRUE(soon([&] { return count("orphaned") + count("term") >= 2 || !up(); }));
    }
    (void)std::system(("rm -rf " + root).c_str());
  }
  pid_t start(const std::string& errors = "/dev/null") {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("FAKE_LOG", (root + "/log").c_str(), 1);
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    const int out = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDERR_FILENO);
    const std::string program = root + "/private/bin/sluice-supervisor";
    ::execl(program.c_str(), "sluice-supervisor", "-f", (root + "/private/config.yaml").c_str(),
            "--home", (root + "/home").c_str(), "--run-dir", (root + "/run").c_str(), nullptr);
    ::_exit(127);
  }
  void start_and_wait() {
    pid = start();
    ASSERT_TRUE(soon([&] { return up(); })) << log();
  }
  [[nodiscard]] bool up() const {
    return has(std::string(kData) + " up") && has(std::string(kControl) + " up");
  }
  int wait_for_end(pid_t child) const {
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int end() {
    const pid_t child = std::exchange(pid, -1);
    return wait_for_end(child);
  }
  [[nodiscard]] std::string log() const { return content(root + "/log"); }
  [[nodiscard]] bool has(const std::string& part) const {
    return log().find(part) != std::string::npos;
  }
  [[nodiscard]] int count(const std::string& part) const {
    int found = 0;
    const std::string text = log();
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }
  [[nodiscard]] pid_t plane(const std::string& name) const {
    const std::string text = log();
    const std::string key = name + " up ";
    return std::atoi(text.c_str() + text.rfind(key) + key.size());
  }
  template <class Done>
  static bool soon(Done done, int tries = 600) {
    for (int i = 0; i < tries; ++i) {
      if (done()) return true;
      ::poll(nullptr, 0, 5);
    }
    return false;
  }
  std::string root;
  pid_t pid = -1;
};

TEST_F(Running, StartsBothPlanesAndDrainsTheDataPlaneFirst) {
  start_and_wait();
  EXPECT_TRUE(has("config one")) << "by descriptor, though the file is out of reach";
  ASSERT_EQ(::kill(pid, SIGTERM), 0);
  EXPECT_EQ(end(), 0);
  const std::string text = log();
  const std::size_t control = text.find("sluice-controlplane term");
  const std::size_t data = text.find("sluice-dataplane term");
  ASSERT_NE(control, std::string::npos);
  ASSERT_NE(data, std::string::npos);
  EXPECT_LT(data, control) << "what it counted last must be stored";
}

TEST_F(Running, AsRootEachDirectoryHasItsOwnerAndTheControlPlaneItsUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: changes users";
  start_and_wait();
  const Result<UserIds> control = find_user("sluice");
  const Result<UserIds> data = find_user("sluice-dp");
  ASSERT_TRUE(control && data);
  EXPECT_TRUE(has("sluice-controlplane uid " + std::to_string(control->uid) + " caps 1024"));
  EXPECT_TRUE(has("sluice-dataplane uid 0")) << "drops by itself";
  const auto expect = [&](const char* path, uid_t uid, gid_t gid, mode_t mode) {
    struct stat info{};
    ASSERT_EQ(::stat((root + path).c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_uid, uid) << path;
    EXPECT_EQ(info.st_gid, gid) << path;
    EXPECT_EQ(info.st_mode & 07777, mode) << path;
  };
  expect("/run", 0, 0, 0755);
  expect("/run/dp", data->uid, control->gid, 02750);
  expect("/run/cp", control->uid, control->gid, 02750);
  expect("/home", control->uid, control->gid, 0750);
}

TEST_F(Running, AKilledPlaneIsBackAtOnceAndTheOtherIsNotTouched) {
  start_and_wait();
  EXPECT_FALSE(has(" restarted"));
  for (const char* name : {kControl, kData}) {
    const int before = count(std::string(name) + " up");
    ASSERT_EQ(::kill(plane(name), SIGKILL), 0);
    EXPECT_TRUE(soon([&] { return count(std::string(name) + " up") == before + 1; }, 400)) << name;
  }
  EXPECT_EQ(count(" term"), 0);
  EXPECT_EQ(count("sluice-controlplane restarted"), 1) << "a broken file must not end it now";
  EXPECT_EQ(count(" restarted"), 1);
}

TEST_F(Running, HangupReachesTheControlPlaneAlone) {
  start_and_wait();
  ASSERT_EQ(::kill(pid, SIGHUP), 0);
  EXPECT_TRUE(soon([&] { return has("sluice-controlplane hup"); }));
  EXPECT_FALSE(has("sluice-dataplane hup"));
}

// B137: one process; the second start exits with a message.
TEST_F(Running, B137ASecondStartExitsWithAMessage) {
  start_and_wait();
  const std::string errors = root + "/errors";
  EXPECT_EQ(wait_for_end(start(errors)), to_int(ExitCode::already_running));
  EXPECT_NE(content(errors).find("another sluice (pid " + std::to_string(pid) + ") uses " + root),
            std::string::npos)
      << content(errors);
  EXPECT_EQ(count(" up "), 2);
}

TEST_F(Running, AReplacedConfigurationKeepsItsModeAndIsReadAnew) {
  ::setenv("FAKE_REPLACE", "two", 1);
  start_and_wait();
  ::unsetenv("FAKE_REPLACE");
  EXPECT_TRUE(has("\nreplaced\n"));
  const std::string path = root + "/private/config.yaml";
  EXPECT_EQ(content(path), "two");
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  EXPECT_EQ(info.st_uid, ::geteuid());
}

TEST_F(Running, AFaultThatNoRestartCuresEndsEverything) {
  ::setenv("FAKE_EXIT_sluice-controlplane", "4", 1);
  pid = start();
  ::unsetenv("FAKE_EXIT_sluice-controlplane");
  EXPECT_EQ(end(), to_int(ExitCode::bad_config));
}

TEST_F(Running, ASecondSignalKillsWhatDoesNotEnd) {
  ::setenv("FAKE_STUBBORN", "1", 1);
  start_and_wait();
  ::unsetenv("FAKE_STUBBORN");
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  ASSERT_TRUE(soon([&] { return has("sluice-dataplane term"); }));
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  EXPECT_EQ(end(), 0);
}

TEST_F(Running, PlanesNoticeThatTheSupervisorIsGone) {
  start_and_wait();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  EXPECT_EQ(end(), -1);
  EXPECT_TRUE(soon([&] { return count("orphaned") == 2; })) << log();
}

TEST(Backoff, StartsAtOnceThenWaitsLongerAndForgetsAfterAHealthyLife) {
  Backoff backoff;
  Moment now{1'000'000};
  backoff.started(now);
  EXPECT_EQ(backoff.died(now), now);
  EXPECT_EQ(backoff.died(now), now + 250_ms);
  EXPECT_EQ(backoff.died(now), now + 500_ms);
  for (int i = 0; i < 20; ++i) (void)backoff.died(now);
  EXPECT_EQ(backoff.died(now), now + kLongestWait);
  backoff.started(now);
  now = now + kHealthyLife;
  EXPECT_EQ(backoff.died(now), now);
}

}  // namespace
}  // namespace sluice::supervisor
