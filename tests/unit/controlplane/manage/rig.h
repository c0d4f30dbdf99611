// A server on a socket in a directory of its own, the loop that accepts for it, and a client.
#pragma once

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "controlplane/manage/server.h"
#include "fake_service.h"
#include "proto/common/unix_socket.h"
#include "sluice/v1/management.grpc.pb.h"

namespace sluice::manage {

namespace api = ::sluice::v1::management;

class Rig : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/manage.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
    start({::geteuid(), std::nullopt});
  }

  void TearDown() override {
    stop();
    ::rmdir(directory_.c_str());
  }

  void start(const AdmitPolicy& policy) {
    auto server = Server::start(path(), policy, service_);
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    loop_ = std::thread([this, listener = server_->listener()] {
      pollfd ready[2] = {{listener, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      while (::poll(ready, 2, -1) > 0 && ready[1].revents == 0) (void)server_->accept_ready();
    });
  }

  void stop() {
    if (!loop_.joinable()) return;
    ASSERT_EQ(::eventfd_write(wake_.get(), 1), 0);
    loop_.join();
    server_.reset();
  }

  [[nodiscard]] std::string path() const { return directory_ + "/manage.sock"; }

  [[nodiscard]] std::unique_ptr<api::Management::Stub> client() const {
    Result<UniqueFd> fd = connect_unix(path());
    EXPECT_TRUE(fd);
    if (!fd) return nullptr;
    return api::Management::NewStub(
        grpc::CreateInsecureChannelFromFd("manage.sock", fd->release()));
  }

  std::string directory_;
  FakeService service_;
  std::unique_ptr<Server> server_;
  UniqueFd wake_;
  std::thread loop_;
};

}  // namespace sluice::manage
