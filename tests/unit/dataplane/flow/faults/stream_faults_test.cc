// A whole stream, SOCKS5 client - engine - server, while system calls fail one by one: it goes on
// correctly or ends with a reason, and nothing is left behind.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>

#include "tests/unit/dataplane/flow/faults/peers.h"
#include "tests/unit/dataplane/flow/faults/world.h"

namespace sluice::flow {
namespace {

using fault::Call;
using fault::Plan;

enum class Way : std::uint8_t {
  spliced,  ///< bare ends, pipes to be had
  slices,   ///< bare ends, no pipes
  sealed,   ///< through a Shadowsocks server
};

constexpr std::uint32_t kDirect = 0;
constexpr std::uint32_t kProxy = 5;
constexpr std::size_t kUpload = 400'000;
constexpr std::size_t kDownload = 700'000;

class StreamFaults : public FaultWorld {
 protected:
  void use(Way way) {
    way_ = way;
    pipe_bytes = way == Way::spliced ? std::size_t{4} << 20U : 0;
  }
  void SetUp() override {
    use(way_);
    FaultWorld::SetUp();
    auto made = shadowsocks::Key::make(crypto::AeadKind::aes_128_gcm, "secret");
    ASSERT_TRUE(made);
    key_.emplace(*made);
    live();  // what the worker keeps from its first flow is there from now on
    ASSERT_TRUE(complete_);
    ASSERT_EQ(reasons(), std::vector<std::string>{"ended"});
    before_ = held();
  }

  /// One flow from its first to its last byte.
  void live() {
    StreamServer server(download_, way_ == Way::sealed ? &*key_ : nullptr);
    aim_at(server.at());
    {
      StreamClient client(proxy, way_ == Way::sealed ? Endpoint{kLoopback, 9} : server.at(),
                          upload_);
      const auto step = [&] {
        client.step();
        server.step();
      };
      const auto over = [&] { return client.over(); };
      EXPECT_TRUE(run(step, over)) << "the client waits for ever";
      // What is on its way to the server still arrives.
      run(step, [&] { return worker->loop().root_count() == 0; });
      server.step();
      complete_ = server.received() == upload_ && client.received() == download_;
      EXPECT_TRUE(upload_.starts_with(server.received()));
      EXPECT_TRUE(download_.starts_with(client.received()));
    }
    settle();
  }
  void expect_nothing_left() { EXPECT_EQ(held(), before_); }
  void goes_on(const Plan& plan) {
    sweep(plan, [&] {
      live();
      EXPECT_TRUE(complete_);
      for (const std::string& reason : reasons()) EXPECT_EQ(reason, "ended");
      expect_nothing_left();
    });
  }
  void ends_with_a_reason(const Plan& plan) {
    sweep(plan, [&] {
      live();
      for (const std::string& reason : reasons()) {
        EXPECT_NE(reason, "");
        EXPECT_TRUE(complete_ || reason != "ended");
      }
      expect_nothing_left();
    });
  }

 private:
  void aim_at(const Endpoint& server) {
    use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
      rules.always();
      m.rules = {{"Match", "", way_ == Way::sealed ? kProxy : kDirect}};
      m.outbounds[kProxy].server = "127.0.0.1";
      m.outbounds[kProxy].port = server.port;
    });
  }

  Way way_ = Way::spliced;
  const std::string upload_ = pattern(kUpload, 1);
  const std::string download_ = pattern(kDownload, 2);
  std::optional<shadowsocks::Key> key_;
  bool complete_ = false;
  Held before_;
};

/// Errors that pass: whoever tries again later succeeds.
std::vector<Plan> passing(Call call, std::vector<int> errors) {
  std::vector<Plan> plans;
  for (const int error : errors) {
    plans.push_back({.call = call, .error = error});
    plans.push_back({.call = call, .error = error, .count = error == EAGAIN ? 7U : 2U});
  }
  return plans;
}

/// As passing(), and calls that move less than they were asked to.
std::vector<Plan> moving(Call call) {
  std::vector<Plan> plans = passing(call, {EAGAIN, EINTR, ENOMEM, ENOBUFS});
  plans.push_back({.call = call, .limit = 1});
  plans.push_back({.call = call, .limit = 1, .count = 40});
  plans.push_back({.call = call, .limit = 5000, .count = 9});
  return plans;
}

class Spliced : public StreamFaults {};
class Slices : public StreamFaults {
 protected:
  Slices() { use(Way::slices); }
};
class Sealed : public StreamFaults {
 protected:
  Sealed() { use(Way::sealed); }
};

TEST_F(Spliced, ShortAndPutOffCallsLoseNothing) {
  for (const Call call : {Call::splice_in, Call::splice_out, Call::readv, Call::sendmsg})
    for (const Plan& plan : moving(call)) goes_on(plan);
}

TEST_F(Slices, ShortAndPutOffCallsLoseNothing) {
  for (const Call call : {Call::readv, Call::sendmsg})
    for (const Plan& plan : moving(call)) goes_on(plan);
}

TEST_F(Sealed, ShortAndPutOffCallsLoseNothing) {
  for (const Call call : {Call::readv, Call::sendmsg})
    for (const Plan& plan : moving(call)) goes_on(plan);
}

TEST_F(Spliced, WithoutPipesSlicesCarryIt) {
  for (const Plan& plan : passing(Call::pipe2, {EMFILE, ENFILE})) goes_on(plan);
  for (const Plan& plan : passing(Call::pipe_size, {EPERM, EBUSY, ENOMEM})) goes_on(plan);
  for (const Plan& plan : passing(Call::pipe_pages, {EPERM})) goes_on(plan);
}

TEST_F(Spliced, AClientInTheBacklogIsServedLate) {
  for (const Plan& plan : passing(Call::accept4, {EAGAIN, EINTR, ECONNABORTED, EMFILE, ENFILE,
                                                  ENOBUFS, ENOMEM, EPROTO, ENETDOWN}))
    goes_on(plan);
}

TEST_F(Spliced, OptionsThatTheKernelRefusesAreDoneWithout) {
  for (const Plan& plan : passing(Call::setsockopt, {ENOPROTOOPT, ENOMEM, EPERM})) goes_on(plan);
}

TEST_F(Spliced, AnInterruptedConnectGoesOn) {
  goes_on({.call = Call::connect, .error = EINTR});
}

TEST_F(Spliced, ABrokenConnectionEndsBothSides) {
  for (const Call call : {Call::splice_in, Call::splice_out, Call::readv, Call::sendmsg})
    for (const int error : {ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH})
      ends_with_a_reason({.call = call, .error = error});
}

TEST_F(Sealed, ABrokenConnectionEndsBothSides) {
  for (const Call call : {Call::readv, Call::sendmsg})
    for (const int error : {ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH})
      ends_with_a_reason({.call = call, .error = error});
}

TEST_F(Spliced, WithoutAServerOrDescriptorsTheClientIsTold) {
  for (const int error : {ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EAGAIN, ENOBUFS, ETIMEDOUT})
    ends_with_a_reason({.call = Call::connect, .error = error});
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM})
    ends_with_a_reason({.call = Call::socket, .error = error});
  for (const int error : {ENOSPC, ENOMEM})
    ends_with_a_reason({.call = Call::epoll_add, .error = error});
}

}  // namespace
}  // namespace sluice::flow
