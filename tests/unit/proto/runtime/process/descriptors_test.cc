#include "proto/runtime/process/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "in_child.h"

namespace sluice {
namespace {

using test::run_in_child;

TEST(Descriptors, AMessageCarriesBytesAndOpenFiles) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::array<int, 1> fds{file.get()};
  ASSERT_TRUE(send_message(pair->ours.get(), as_byte_view("hello"), fds));

  std::array<std::byte, 16> room{};
  Result<ReceivedMessage> got = receive_message(pair->theirs.get(), room);
  ASSERT_TRUE(got);
  EXPECT_EQ(as_text(ByteView(room).first(got->size)), "hello");
  ASSERT_EQ(got->fd_count, 1U);
  struct stat sent{}, received{};
  ASSERT_EQ(::fstat(file.get(), &sent), 0);
  ASSERT_EQ(::fstat(got->fds[0].get(), &received), 0);
  EXPECT_EQ(sent.st_rdev, received.st_rdev);
  EXPECT_EQ(::fcntl(got->fds[0].get(), F_GETFD), FD_CLOEXEC);
}

TEST(Descriptors, ADuplicateNamesTheSameThingAndIsNotInherited) {
  const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto copy = duplicate(file.get());
  ASSERT_TRUE(copy);
  EXPECT_NE(copy->get(), file.get());
  EXPECT_EQ(::fcntl(copy->get(), F_GETFD), FD_CLOEXEC);
  EXPECT_FALSE(duplicate(-1));
}

TEST(Descriptors, EndOfFileIsAnEmptyMessage) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  pair->ours.reset();
  std::array<std::byte, 4> room{};
  const Result<ReceivedMessage> got = receive_message(pair->theirs.get(), room);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->size, 0U);
  EXPECT_EQ(send_message(pair->theirs.get(), as_byte_view("x")).error().code, Errc::closed);
}

TEST(Descriptors, AMessageLargerThanTheRoomIsRefused) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  ASSERT_TRUE(send_message(pair->ours.get(), as_byte_view("12345")));
  std::array<std::byte, 4> room{};
  EXPECT_EQ(receive_message(pair->theirs.get(), room).error().code, Errc::too_large);
}

int open_descriptor_count() {
  int count = 0;
  for (int fd = 3; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

// A peer that sends more descriptors than we take must not make us leak the rest.
TEST(Descriptors, SurplusDescriptorsAreClosed) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  ASSERT_TRUE(pair);
  constexpr std::size_t kMany = kMaxMessageFds + 3;
  std::array<char, CMSG_SPACE(sizeof(int) * kMany)> control{};
  char byte = 'x';
  iovec part{&byte, 1};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int) * kMany);
  const std::vector<int> fds(kMany, STDIN_FILENO);
  std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * kMany);
  ASSERT_EQ(::sendmsg(pair->ours.get(), &header, 0), 1);

  const int before = open_descriptor_count();
  std::array<std::byte, 4> room{};
  EXPECT_EQ(receive_message(pair->theirs.get(), room).error().code, Errc::too_large);
  EXPECT_EQ(open_descriptor_count(), before);
}

TEST(Descriptors, WaitingEndsAtTheDeadline) {
  Result<SocketPair> pair = make_socket_pair(SOCK_STREAM);
  ASSERT_TRUE(pair);
  EXPECT_EQ(wait_readable(pair->ours.get(), 1).error().code, Errc::timeout);
  ASSERT_TRUE(send_message(pair->theirs.get(), as_byte_view("x")));
  EXPECT_TRUE(wait_readable(pair->ours.get(), -1));
}

TEST(Descriptors, AChildKeepsOnlyWhatIsListed) {
  EXPECT_EQ(run_in_child([] {
              std::array<int, 6> fds{};
              for (int& fd : fds) fd = ::open("/dev/null", O_RDONLY);
              const std::array<int, 3> keep{fds[4], fds[1], STDERR_FILENO};
              close_descriptors_except(keep);
              for (std::size_t i = 0; i < fds.size(); ++i) {
                const bool open = ::fcntl(fds[i], F_GETFD) >= 0;
                CHILD_REQUIRE(open == (i == 1 || i == 4));
              }
              CHILD_REQUIRE(::fcntl(STDERR_FILENO, F_GETFD) >= 0);
              return 0;
            }),
            0);
}

TEST(Descriptors, AProgramStartsFromAPathOnlyDescriptor) {
  EXPECT_EQ(run_in_child([] {
              const int program = ::open("/bin/sh", O_PATH | O_CLOEXEC);
              std::string name = "sh", option = "-c", script = "exit 42";
              char* const argv[] = {name.data(), option.data(), script.data(), nullptr};
              char* const environment[] = {nullptr};
              execute_descriptor(program, argv, environment);
              return 1;
            }),
            42);
}

TEST(Descriptors, AMissingProgramReportsItsErrno) {
  char name[] = "x";
  char* const argv[] = {name, nullptr};
  char* const environment[] = {nullptr};
  EXPECT_EQ(execute_descriptor(-1, argv, environment), EBADF);
}

TEST(Descriptors, CloseOnExecTurnsBothWays) {
  UniqueFd file(::open("/dev/null", O_RDONLY));
  ASSERT_TRUE(set_close_on_exec(file.get(), true));
  EXPECT_EQ(::fcntl(file.get(), F_GETFD), FD_CLOEXEC);
  ASSERT_TRUE(set_close_on_exec(file.get(), false));
  EXPECT_EQ(::fcntl(file.get(), F_GETFD), 0);
  EXPECT_EQ(set_close_on_exec(-1, true).error().sys, EBADF);
}

}  // namespace
}  // namespace sluice
