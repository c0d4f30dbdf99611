// The real chain: spawner -> sluice-nft as the data plane's user -> table in a namespace of its
// own.
#include "dataplane/helper/spawner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "dataplane/helper/commands.h"
#include "dataplane/helper/process_commands.h"
#include "proto/runtime/process/descriptors.h"
#include "sample_table.h"

namespace sluice {
namespace {

constexpr uid_t kSomeUid = 54321;
constexpr gid_t kSomeGid = 54322;

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out.push_back(static_cast<char>(c));
  ::pclose(pipe);
  return out;
}

std::string status_field(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return {};
}

/// True once `done` holds, within two seconds.
template <class Done>
bool soon(Done done) {
  for (int i = 0; i < 400; ++i) {
    if (done()) return true;
    ::poll(nullptr, 0, 5);
  }
  return false;
}

class Spawner : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: changes users, makes namespaces";
    // Leak checks trace the process, which the helper's filter forbids.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    Result<HelperBinaries> binaries = open_helpers(HELPER_DIRECTORY);
    ASSERT_TRUE(binaries);
    Result<SpawnerHandle> started = start_spawner(std::move(*binaries), kSomeUid, kSomeGid);
    ASSERT_TRUE(started);
    spawner.emplace(std::move(*started));
  }
  void TearDown() override {
    if (!spawner) return;
    const pid_t pid = spawner->pid();
    spawner.reset();
    int status = -1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0) << "a spawner ends cleanly at end of file";
  }
  static nft::Verdict ask(int socket, const nft::Request& request) {
    std::vector<std::byte> room(nft::kMaxFrameBytes);
    Writer out{room};
    nft::encode_request(request, out);
    EXPECT_TRUE(send_message(socket, out.written()));
    EXPECT_TRUE(wait_readable(socket, 5000));
    const Result<ReceivedMessage> got = receive_message(socket, room);
    EXPECT_TRUE(got);
    Result<nft::Verdict> verdict = nft::decode_verdict(ByteView(room).first(got ? got->size : 0));
    EXPECT_TRUE(verdict);
    return verdict ? *verdict : nft::Verdict{{}, 0, -1, "no verdict"};
  }
  static proc::Answer ask_process(int socket, ino_t inode) {
    std::array<std::byte, proc::kMaxAnswer_bytes> room{};
    Writer out{room};
    proc::encode_question({1, static_cast<std::uint32_t>(inode), proc::kMaxBudget}, out);
    EXPECT_TRUE(send_message(socket, out.written()));
    EXPECT_TRUE(wait_readable(socket, 5000));
    const Result<ReceivedMessage> got = receive_message(socket, room);
    Result<proc::Answer> answer = proc::decode_answer(ByteView(room).first(got ? got->size : 0));
    EXPECT_TRUE(answer);
    return answer ? *answer : proc::Answer{1, -1, 0, {}};
  }
  static void expect_confined(pid_t pid, CapMask caps) {
    const std::string uid = std::to_string(kSomeUid);
    std::array<char, 17> mask{};
    std::snprintf(mask.data(), mask.size(), "%016llx", static_cast<unsigned long long>(caps));
    EXPECT_EQ(status_field(pid, "Uid"), uid + "\t" + uid + "\t" + uid + "\t" + uid);
    for (const char* set : {"CapEff", "CapPrm", "CapBnd"})
      EXPECT_EQ(status_field(pid, set), mask.data()) << set;
    EXPECT_EQ(status_field(pid, "NoNewPrivs"), "1");
    EXPECT_EQ(status_field(pid, "Seccomp"), "2");
  }
  std::optional<SpawnerHandle> spawner;
};

TEST_F(Spawner, AHelperOwnsATableThatDiesWithIt) {
  Result<HelperProcess> helper = spawner->spawn(HelperKind::nft, 5_s);
  ASSERT_TRUE(helper);
  nft::Request request;
  request.command = nft::Command::apply;
  request.table = nft::test::sample_table();
  request.table.fail_closed = false;
  const nft::Verdict verdict = ask(helper->socket.get(), request);
  ASSERT_EQ(verdict.error, 0) << verdict.text;
  EXPECT_NE(output_of("nft list table inet sluice").find("tproxy ip to :5100"), std::string::npos);
  expect_confined(helper->pid, kNftHelperCaps);
  expect_confined(spawner->pid(), kSpawnerCaps);

  ASSERT_EQ(::kill(helper->pid, SIGKILL), 0);
  EXPECT_TRUE(soon([] { return output_of("nft list tables").empty(); }));
  std::array<std::byte, 16> room{};
  ASSERT_TRUE(wait_readable(helper->socket.get(), 2000));
  EXPECT_EQ(receive_message(helper->socket.get(), room)->size, 0U) << "its death is end of file";
  EXPECT_TRUE(soon([&] { return ::kill(helper->pid, 0) != 0; })) << "the spawner reaps";

  Result<HelperProcess> next = spawner->spawn(HelperKind::nft, 5_s);
  ASSERT_TRUE(next);
  EXPECT_EQ(ask(next->socket.get(), request).error, 0);
}

TEST_F(Spawner, TheProcessHelperSeesProgramsOfOthersAndNothingElse) {
  Result<HelperProcess> helper = spawner->spawn(HelperKind::proc, 5_s);
  ASSERT_TRUE(helper);
  const UniqueFd held(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct stat about{};
  ASSERT_EQ(::fstat(held.get(), &about), 0);
  const proc::Answer answer = ask_process(helper->socket.get(), about.st_ino);
  EXPECT_EQ(answer.error, 0) << "this process is root's";
  EXPECT_EQ(answer.pid, ::getpid());
  EXPECT_EQ(answer.path, std::filesystem::read_symlink("/proc/self/exe").string());
  expect_confined(helper->pid, kProcHelperCaps);
  const pid_t pid = helper->pid;
  helper->socket.reset();
  EXPECT_TRUE(soon([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(Spawner, AHelperEndsWithItsSocket) {
  Result<HelperProcess> helper = spawner->spawn(HelperKind::nft, 5_s);
  ASSERT_TRUE(helper);
  const pid_t pid = helper->pid;
  ASSERT_EQ(ask(helper->socket.get(), {}).error, 0);
  helper->socket.reset();
  EXPECT_TRUE(soon([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(Spawner, AHelperThatMeetsNonsenseEnds) {
  Result<HelperProcess> helper = spawner->spawn(HelperKind::nft, 5_s);
  ASSERT_TRUE(helper);
  ASSERT_TRUE(send_message(helper->socket.get(), as_byte_view("nonsense")));
  EXPECT_TRUE(soon([&] { return ::kill(helper->pid, 0) != 0; }));
}

TEST_F(Spawner, ALateReplyIsNotTakenForTheNextOne) {
  ASSERT_EQ(::kill(spawner->pid(), SIGSTOP), 0);
  EXPECT_EQ(spawner->spawn(HelperKind::nft, 50_ms).error().code, Errc::timeout);
  ASSERT_EQ(::kill(spawner->pid(), SIGCONT), 0);
  const std::string children = "pgrep -P " + std::to_string(spawner->pid());
  ASSERT_TRUE(soon([&] { return !output_of(children).empty(); }));
  const std::string late = output_of(children);
  Result<HelperProcess> helper = spawner->spawn(HelperKind::nft, 5_s);
  ASSERT_TRUE(helper);
  EXPECT_NE(late, std::to_string(helper->pid) + "\n");
  EXPECT_EQ(ask(helper->socket.get(), {}).error, 0);
  EXPECT_TRUE(soon([&] { return output_of(children) == std::to_string(helper->pid) + "\n"; }))
      << "the helper that nobody waits for ends";
}

TEST_F(Spawner, ADeadSpawnerIsClosed) {
  ASSERT_EQ(::kill(spawner->pid(), SIGKILL), 0);
  ASSERT_EQ(::waitpid(spawner->pid(), nullptr, 0), spawner->pid());
  EXPECT_EQ(spawner->spawn(HelperKind::nft, 1_s).error().code, Errc::closed);
  spawner.reset();
}

TEST(SpawnerAlone, AProgramThatCannotStartReportsItsErrno) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: changes users";
  HelperBinaries binaries;
  binaries.nft = UniqueFd(::open("/dev/null", O_PATH | O_CLOEXEC));
  Result<SpawnerHandle> spawner = start_spawner(std::move(binaries), kSomeUid, kSomeGid);
  ASSERT_TRUE(spawner);
  EXPECT_EQ(spawner->spawn(HelperKind::nft, 5_s).error().sys, EACCES);
  const pid_t pid = spawner->pid();
  spawner = fail(Errc::cancelled);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST_F(Spawner, AMissingProcessHelperIsNotFoundWhenItIsAskedFor) {
  HelperBinaries binaries;
  binaries.nft = UniqueFd(::open("/dev/null", O_PATH | O_CLOEXEC));
  Result<SpawnerHandle> alone = start_spawner(std::move(binaries), kSomeUid, kSomeGid);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->spawn(HelperKind::proc, 5_s).error().sys, ENOENT);
  const pid_t pid = alone->pid();
  alone = fail(Errc::cancelled);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST(SpawnerAlone, MissingProgramsAreNotFound) {
  EXPECT_EQ(open_helpers("/nonexistent").error().code, Errc::not_found);
}

}  // namespace
}  // namespace sluice
