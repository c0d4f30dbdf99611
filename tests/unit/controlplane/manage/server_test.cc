#include "controlplane/manage/server.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "rig.h"

namespace sluice::manage {
namespace {

using ServerTest = Rig;

TEST_F(ServerTest, TheSocketIsForOwnerAndGroupOnly) {
  struct stat info{};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, mode_t{0660});
}

TEST_F(ServerTest, ASecondServerOnTheSameSocketIsRefused) {
  FakeService other;
  const auto second = Server::start(path(), {::geteuid(), std::nullopt}, other);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::exists);
}

TEST_F(ServerTest, StoppingRemovesTheSocketAndAStaleOneIsReplaced) {
  stop();
  EXPECT_NE(::access(path().c_str(), F_OK), 0);
  {
    const Result<UniqueFd> dead = listen_unix(path(), 0600);
    ASSERT_TRUE(dead);
  }
  start({::geteuid(), std::nullopt});
  grpc::ClientContext context;
  api::VersionReply reply;
  EXPECT_TRUE(client()->GetVersion(&context, {}, &reply).ok());
}

TEST_F(ServerTest, TheSocketOfASuccessorIsNotRemoved) {
  ASSERT_EQ(::unlink(path().c_str()), 0);
  const Result<UniqueFd> successor = listen_unix(path(), 0600);
  ASSERT_TRUE(successor);
  stop();
  EXPECT_EQ(::access(path().c_str(), F_OK), 0);
  ::unlink(path().c_str());
}

TEST_F(ServerTest, AnswersAtOnceOrLaterFromAnotherThread) {
  const auto stub = client();
  grpc::ClientContext first;
  api::VersionReply version;
  ASSERT_TRUE(stub->GetVersion(&first, {}, &version).ok());
  EXPECT_EQ(version.dataplane(), "1.2.2");

  std::thread answer([this] {
    service_.wait([](FakeService& s) { return s.late_.has_value(); });
    (*service_.late_)({});
  });
  grpc::ClientContext second;
  api::SelectReply selected;
  EXPECT_TRUE(stub->Select(&second, {}, &selected).ok());
  answer.join();
}

TEST_F(ServerTest, AReplyThatIsLostIsSaidSo) {
  grpc::ClientContext context;
  api::SelectRequest request;
  request.set_name("lost");
  api::SelectReply reply;
  EXPECT_EQ(client()->Select(&context, request, &reply).error_code(), grpc::INTERNAL);
}

TEST_F(ServerTest, FaultsBecomeStatusesWithTheirSentence) {
  struct Case {
    FaultKind kind;
    grpc::StatusCode code;
  };
  const auto stub = client();
  for (const Case& c : {Case{FaultKind::invalid, grpc::INVALID_ARGUMENT},
                        {FaultKind::not_found, grpc::NOT_FOUND},
                        {FaultKind::refused, grpc::FAILED_PRECONDITION},
                        {FaultKind::busy, grpc::RESOURCE_EXHAUSTED},
                        {FaultKind::unavailable, grpc::UNAVAILABLE},
                        {FaultKind::internal, grpc::INTERNAL}}) {
    service_.fault_ = Fault{c.kind, "because"};
    grpc::ClientContext context;
    api::StatusReply reply;
    const grpc::Status status = stub->GetStatus(&context, {}, &reply);
    EXPECT_EQ(status.error_code(), c.code);
    EXPECT_EQ(status.error_message(), "because");
    EXPECT_EQ(status.error_details(), "sluice");
  }
}

TEST_F(ServerTest, ManyCallsAtOnceAllFinish) {
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      const auto stub = client();
      for (int n = 0; n < 25; ++n) {
        grpc::ClientContext context;
        api::VersionReply reply;
        if (stub->GetVersion(&context, {}, &reply).ok()) ++good;
      }
    });
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(good, 200);
}

TEST_F(ServerTest, StopAnswersOpenCallsAndLateRepliesAreHarmless) {
  const auto stub = client();
  grpc::Status status;
  std::thread waiting([&] {
    grpc::ClientContext context;
    api::SelectReply reply;
    status = stub->Select(&context, {}, &reply);
  });
  service_.wait([](FakeService& s) { return s.late_.has_value(); });
  stop();
  waiting.join();
  EXPECT_EQ(status.error_code(), grpc::UNAVAILABLE);
  EXPECT_NE(status.error_message().find("stopping"), std::string::npos);
  (*service_.late_)({});  // the server is gone
}

TEST_F(ServerTest, ARequestAboveTheBoundIsRefused) {
  api::ConfigCheckRequest request;
  request.mutable_config()->set_text(std::string(9 << 20, 'x'));
  grpc::ClientContext context;
  api::ConfigCheckReply reply;
  EXPECT_EQ(client()->ConfigCheck(&context, request, &reply).error_code(),
            grpc::RESOURCE_EXHAUSTED);
}

TEST_F(ServerTest, GarbageInsteadOfGrpcHarmsNobody) {
  const Result<UniqueFd> raw = connect_unix(path());
  ASSERT_TRUE(raw);
  ASSERT_EQ(::write(raw->get(), "GET / HTTP/1.1\r\n\r\n", 18), 18);
  grpc::ClientContext context;
  api::VersionReply reply;
  EXPECT_TRUE(client()->GetVersion(&context, {}, &reply).ok());
}

}  // namespace
}  // namespace sluice::manage
