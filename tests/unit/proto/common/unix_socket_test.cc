#include "proto/common/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

namespace sluice {
namespace {

class UnixSocket : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "sluice-unix-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/test.sock";
  }
  void TearDown() override {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_;
  std::string path_;
};

TEST_F(UnixSocket, BothEndsSeeEachOthersCredentials) {
  const auto listener = listen_unix(path_, 0600);
  ASSERT_TRUE(listener);
  const auto client = connect_unix(path_);
  ASSERT_TRUE(client);
  const auto server = accept_unix(listener->get());
  ASSERT_TRUE(server);
  for (const int fd : {client->get(), server->get()}) {
    const auto peer = peer_credentials(fd);
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->uid, ::geteuid());
    EXPECT_EQ(peer->pid, ::getpid());
  }
}

TEST_F(UnixSocket, ModeIsWhatWasAskedWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  const auto listener = listen_unix(path_, 0660);
  ::umask(before);
  ASSERT_TRUE(listener);
  struct stat file{};
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0660U);
}

TEST_F(UnixSocket, DeadFileIsReplacedAndALivingListenerIsNot) {
  {
    const auto dead = listen_unix(path_, 0600);
    ASSERT_TRUE(dead);
  }
  const auto living = listen_unix(path_, 0600);
  ASSERT_TRUE(living);
  const auto second = listen_unix(path_, 0600);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::exists);
  EXPECT_TRUE(connect_unix(path_));
}

TEST_F(UnixSocket, ConnectNamesWhyItFailed) {
  EXPECT_EQ(connect_unix(path_).error().code, Errc::not_found);
  {
    ASSERT_TRUE(listen_unix(path_, 0600));
  }
  EXPECT_EQ(connect_unix(path_).error().code, Errc::refused);
  EXPECT_EQ(connect_unix(std::string(108, 'x')).error().code, Errc::too_large);
  EXPECT_EQ(listen_unix(std::string(108, 'x'), 0600).error().code, Errc::too_large);
}

}  // namespace
}  // namespace sluice
