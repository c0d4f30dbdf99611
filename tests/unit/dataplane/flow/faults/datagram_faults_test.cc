// Datagrams of a SOCKS5 association, client - engine - echo, while system calls fail one by one:
// some may be lost, later ones pass, and nothing is left behind.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <set>

#include "tests/unit/dataplane/flow/faults/peers.h"
#include "tests/unit/dataplane/flow/faults/world.h"

namespace sluice::flow {
namespace {

using fault::Call;
using fault::Plan;

constexpr std::size_t kUdpHead = 10;  // RFC 1928 section 7 with an IPv4 address
constexpr unsigned kBurst = 24;       // more than one batch
constexpr Millis kAgain{40};

/// Sends back what it gets.
class Echo {
 public:
  Echo() : fd_(std::move(*bind_udp({kLoopback, 0}))) {}
  [[nodiscard]] Endpoint at() const { return local_endpoint(fd_.get()); }
  void step() const {
    std::array<char, 2048> room{};
    sockaddr_storage from{};
    for (;;) {
      socklen_t size = sizeof from;
      const ssize_t n = ::recvfrom(fd_.get(), room.data(), room.size(), MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&from), &size);
      if (n < 0) return;
      ::sendto(fd_.get(), room.data(), static_cast<std::size_t>(n), MSG_DONTWAIT,
               reinterpret_cast<sockaddr*>(&from), size);
    }
  }

 private:
  UniqueFd fd_;
};

std::uint16_t port_at(std::string_view text, std::size_t place) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(text[place]) << 8U |
                                    static_cast<unsigned char>(text[place + 1]));
}

/// Its control connection, and numbered datagrams to one destination.
class UdpClient {
 public:
  UdpClient(const Endpoint& proxy, const Endpoint& target)
      : control_(connect_client(proxy)), fd_(std::move(*bind_udp({kLoopback, 0}))) {
    head_.assign("\0\0\0\x01\x7f\0\0\x01", 8);
    head_ += static_cast<char>(target.port >> 8U);
    head_ += static_cast<char>(target.port & 0xffU);
    put(control_, std::string_view("\x05\x01\x00", 3));
  }
  void step() {
    if (!over()) take(control_, got_);
    if (stage_ == 0 && got_.text.size() >= 2) {
      put(control_, std::string_view("\x05\x03\x00\x01\0\0\0\0\0\0", 10));
      stage_ = 1;
    }
    if (stage_ == 1 && got_.text.size() >= 12) {
      stage_ = got_.text[3] == 0 ? 2 : 3;
      relay_ = {kLoopback, port_at(got_.text, 10)};
    }
    collect();
  }
  /// Refused, or the control connection has ended.
  [[nodiscard]] bool over() const noexcept { return got_.ended || got_.reset || stage_ == 3; }
  [[nodiscard]] bool ready() const noexcept { return stage_ == 2; }
  void send(unsigned number) const {
    sockaddr_storage raw{};
    const socklen_t size = relay_.to_sockaddr(raw);
    const std::string text = head_ + std::to_string(number);
    ::sendto(fd_.get(), text.data(), text.size(), MSG_DONTWAIT,
             reinterpret_cast<const sockaddr*>(&raw), size);
  }
  [[nodiscard]] bool has(unsigned number) const {
    return answers_.contains(std::to_string(number));
  }
  [[nodiscard]] std::size_t count() const noexcept { return answers_.size(); }

 private:
  void collect() {
    std::array<char, 2048> room{};
    for (;;) {
      const ssize_t n = ::recv(fd_.get(), room.data(), room.size(), MSG_DONTWAIT);
      if (n < 0) return;
      const std::string_view text(room.data(), static_cast<std::size_t>(n));
      ASSERT_GE(text.size(), kUdpHead);
      EXPECT_EQ(text.substr(0, kUdpHead), head_) << "its source";
      answers_.emplace(text.substr(kUdpHead));
    }
  }

  UniqueFd control_;
  UniqueFd fd_;
  std::string head_;
  Endpoint relay_;
  unsigned stage_ = 0;
  Got got_;
  std::set<std::string> answers_;
};

class DatagramFaults : public FaultWorld {
 protected:
  void SetUp() override {
    FaultWorld::SetUp();
    live();
    ASSERT_TRUE(answered_);
    ASSERT_EQ(lost_, 0U);
    before_ = held();
  }

  /// One association: a first datagram, a burst, a last datagram.
  void live() {
    {
      UdpClient client(proxy, echo_.at());
      answered_ = open(client) && ask(client, 0);
      if (answered_) {
        burst(client);
        answered_ = ask(client, kBurst + 1);
        lost_ = kBurst + 2 - client.count();
      }
      EXPECT_TRUE(answered_ || client.over()) << "it stays silent";
    }
    settle();
  }
  /// `passes`: the association survives and loses `most` datagrams of the burst at most.
  void goes_on(const Plan& plan, std::size_t most) {
    sweep(plan, [&] {
      live();
      EXPECT_TRUE(answered_);
      EXPECT_LE(lost_, most);
      EXPECT_EQ(held(), before_);
    });
  }
  void ends_or_goes_on(const Plan& plan) {
    sweep(plan, [&] {
      live();
      EXPECT_EQ(held(), before_);
    });
  }

 private:
  template <class Done>
  bool run_client(UdpClient& client, Done&& done, Millis patience) {
    return run(
        [&] {
          client.step();
          echo_.step();
        },
        done, patience);
  }
  bool open(UdpClient& client) {
    run_client(client, [&] { return client.ready() || client.over(); }, 5_s);
    return client.ready();
  }
  /// Sends until it is answered: a destination that could not be served is tried again each second.
  bool ask(UdpClient& client, unsigned number) {
    const Moment end = monotonic_now() + 5_s;
    while (monotonic_now() < end && !client.over()) {
      client.send(number);
      if (run_client(client, [&] { return client.has(number) || client.over(); }, kAgain))
        return client.has(number);
    }
    return false;
  }
  void burst(UdpClient& client) {
    for (unsigned number = 1; number <= kBurst; ++number) client.send(number);
    run_client(client, [&] { return client.count() > kBurst || client.over(); }, kAgain);
  }

  Echo echo_;
  bool answered_ = false;
  std::size_t lost_ = 0;
  Held before_;
};

TEST_F(DatagramFaults, ReadsThatArePutOffLoseNothing) {
  for (const int error : {EAGAIN, EINTR, ENOMEM, ENOBUFS, ECONNREFUSED, EHOSTUNREACH}) {
    goes_on({.call = Call::recvmmsg, .error = error}, 0);
    goes_on({.call = Call::recvmmsg, .error = error, .count = 9}, 0);
  }
  goes_on({.call = Call::recvmmsg, .limit = 1, .count = 50}, 0);
}

TEST_F(DatagramFaults, SendsInPartsLoseNothing) {
  goes_on({.call = Call::sendmmsg, .error = EINTR}, 0);
  goes_on({.call = Call::sendmmsg, .error = EINTR, .count = 9}, 0);
  goes_on({.call = Call::sendmmsg, .limit = 1, .count = 50}, 0);
}

TEST_F(DatagramFaults, AFullSocketLosesItsBatchAndNoMore) {
  for (const int error : {EAGAIN, ENOBUFS})
    goes_on({.call = Call::sendmmsg, .error = error}, kDatagramBatch);
}

TEST_F(DatagramFaults, ADatagramThatCannotBeSentLeavesTheOthers) {
  for (const int error : {EMSGSIZE, EPERM, ENETUNREACH, EHOSTUNREACH, ECONNREFUSED, EINVAL})
    goes_on({.call = Call::sendmmsg, .error = error}, 1);
}

TEST_F(DatagramFaults, WithoutDescriptorsTheClientIsToldOrServedLater) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM})
    ends_or_goes_on({.call = Call::socket, .error = error});
  for (const int error : {ENOSPC, ENOMEM})
    ends_or_goes_on({.call = Call::epoll_add, .error = error});
  for (const int error : {ENOMEM, ENOPROTOOPT})
    ends_or_goes_on({.call = Call::setsockopt, .error = error});
}

}  // namespace
}  // namespace sluice::flow
