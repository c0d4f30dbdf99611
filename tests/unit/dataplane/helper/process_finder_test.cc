// The walk through /proc, with this process and children of it as those who hold sockets.
#include "dataplane/helper/process_finder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "dataplane/helper/process_commands.h"
#include "dataplane/helper/process_server.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::proc {
namespace {

UniqueFd some_socket() {
  return UniqueFd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

std::uint32_t inode_of(const UniqueFd& fd) {
  struct stat about{};
  EXPECT_EQ(::fstat(fd.get(), &about), 0);
  return static_cast<std::uint32_t>(about.st_ino);
}

Moment soon() {
  return monotonic_now() + 5_s;
}

/// A child that holds a socket which this process has closed.
class Holder {
 public:
  Holder() {
    UniqueFd socket = some_socket();
    inode = inode_of(socket);
    pid = ::fork();
    if (pid == 0) {
      for (;;) ::pause();
    }
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  std::uint32_t inode = 0;
  pid_t pid = -1;
};

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

TEST(ProcessFinder, FindsWhoHoldsEachSocketInOneWalk) {
  auto finder = ProcessFinder::open();
  ASSERT_TRUE(finder);
  const UniqueFd mine = some_socket();
  const Holder child;
  std::array wanted{Wanted{inode_of(mine), 0}, Wanted{child.inode, 0}, Wanted{inode_of(mine), 0}};
  EXPECT_TRUE(finder->find(wanted, soon()));
  EXPECT_EQ(wanted[1].pid, child.pid);
  // A child inherits what its parent holds, and is younger.
  EXPECT_TRUE(wanted[0].pid == ::getpid() || wanted[0].pid == child.pid);
  EXPECT_EQ(wanted[2].pid, wanted[0].pid);
  const auto path = finder->executable(child.pid);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, own_path());
}

TEST(ProcessFinder, ASocketThatNobodyHoldsStaysUnknown) {
  auto finder = ProcessFinder::open();
  UniqueFd gone = some_socket();
  std::array wanted{Wanted{inode_of(gone), 0}};
  gone.reset();
  EXPECT_TRUE(finder->find(wanted, soon())) << "all of /proc was seen";
  EXPECT_EQ(wanted[0].pid, 0);
}

TEST(ProcessFinder, ADeadlineEndsTheWalk) {
  auto finder = ProcessFinder::open();
  std::array wanted{Wanted{0xffffffff, 0}};
  EXPECT_FALSE(finder->find(wanted, monotonic_now()));
  EXPECT_EQ(wanted[0].pid, 0);
}

TEST(ProcessFinder, WhoWasFoundOfLateIsLookedAtFirst) {
  auto finder = ProcessFinder::open();
  const Holder old;
  const Holder young;
  std::array first{Wanted{old.inode, 0}};
  ASSERT_TRUE(finder->find(first, soon()));
  // With no time left only the first process is looked at.
  std::array again{Wanted{old.inode, 0}};
  finder->find(again, monotonic_now());
  EXPECT_EQ(again[0].pid, old.pid);
  std::array other{Wanted{young.inode, 0}};
  EXPECT_FALSE(finder->find(other, monotonic_now()));
}

TEST(ProcessFinder, AProcessThatEndedHasNoPath) {
  auto finder = ProcessFinder::open();
  pid_t pid = -1;
  {
    const Holder child;
    pid = child.pid;
  }
  EXPECT_EQ(finder->executable(pid).error().code, Errc::not_found);
}

TEST(ProcessFinder, AProgramThatWasReplacedKeepsItsPath) {
  const std::string path = ::testing::TempDir() + "replaced-program";
  std::filesystem::copy_file("/bin/sleep", path, std::filesystem::copy_options::overwrite_existing);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(path.c_str(), path.c_str(), "60", nullptr);
    ::_exit(1);
  }
  auto finder = ProcessFinder::open();
  for (int i = 0; i < 400 && finder->executable(pid).value_or("") != path; ++i) ::usleep(5000);
  std::filesystem::remove(path);
  const auto found = finder->executable(pid);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, path);
}

/// serve() on a thread, its peer's end here.
class ProcessServer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = make_socket_pair(SOCK_SEQPACKET);
    ASSERT_TRUE(pair);
    peer = std::move(pair->ours);
    thread = std::thread([this, theirs = std::move(pair->theirs)] {
      auto finder = ProcessFinder::open();
      outcome = serve(theirs.get(), *finder);
    });
  }
  void TearDown() override {
    peer.reset();
    if (thread.joinable()) thread.join();
  }
  void ask(std::uint32_t id, std::uint32_t inode, Millis budget) {
    std::array<std::byte, kQuestion_bytes> wire{};
    Writer out{wire};
    encode_question({id, inode, budget}, out);
    ASSERT_TRUE(send_message(peer.get(), out.written()));
  }
  Answer next() {
    std::array<std::byte, kMaxAnswer_bytes> wire{};
    EXPECT_TRUE(wait_readable(peer.get(), 5000));
    const auto message = receive_message(peer.get(), wire);
    auto answer = decode_answer(ByteView(wire).first(message ? message->size : 0));
    EXPECT_TRUE(answer);
    return answer ? *answer : Answer{};
  }
  UniqueFd peer;
  std::thread thread;
  Status outcome;
};

TEST_F(ProcessServer, AnswersEachQuestionWithItsId) {
  {
    const Holder child;  // also holds our end: file ends come after it
    ask(1, child.inode, 1_s);
    ask(2, 0xffffffff, 1_s);
    std::array<Answer, 3> by_id;
    for (int i = 0; i < 2; ++i) {
      Answer answer = next();
      by_id.at(answer.id) = answer;
    }
    EXPECT_EQ(by_id[1].error, 0);
    EXPECT_EQ(by_id[1].pid, child.pid);
    EXPECT_EQ(by_id[1].path, own_path());
    EXPECT_EQ(by_id[2].error, ENOENT);
  }
  ask(3, 0xffffffff, 0_ms);
  EXPECT_EQ(next().error, ETIMEDOUT);
  peer.reset();
  thread.join();
  EXPECT_TRUE(outcome) << "end of file ends it well";
}

TEST_F(ProcessServer, NonsenseEndsIt) {
  ASSERT_TRUE(send_message(peer.get(), as_byte_view("nonsense")));
  std::array<std::byte, 16> room{};
  ASSERT_TRUE(wait_readable(peer.get(), 5000));
  EXPECT_EQ(receive_message(peer.get(), room)->size, 0U);
  thread.join();
  EXPECT_FALSE(outcome);
}

}  // namespace
}  // namespace sluice::proc
