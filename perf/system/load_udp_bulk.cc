// Datagrams in bulk, as QUIC programs of today send them: runs of one size by UDP_SEGMENT, received
// merged by UDP_GRO, at both ends. What lies between decides whether they stay together.

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "perf/system/load.h"
#include "perf/system/sockets.h"
#include "perf/system/socks_client.h"

namespace perf {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLossTimeout_ms = 200;
constexpr std::size_t kRun = 32;  // datagrams of one message
constexpr std::size_t kRoom = 65536;
constexpr int kSocketRoom = 4 << 20;
using Room = std::array<std::byte, kRoom>;

/// A datagram socket that merges what arrives.
void tune(int fd) {
  const int on = 1;
  must(::setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on), "UDP_GRO");
  for (const int option : {SO_RCVBUF, SO_SNDBUF})
    ::setsockopt(fd, SOL_SOCKET, option, &kSocketRoom, sizeof kSocketRoom);
}

/// What one receive brought: `size` bytes in parts of `segment`.
struct Received {
  std::size_t size = 0;
  std::size_t segment = 0;
};

/// False: nothing (more) came.
bool receive(int fd, Room& room, sockaddr_in* peer, int flags, Received& out) {
  iovec piece{room.data(), room.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control;
  msghdr header{};
  header.msg_name = peer;
  header.msg_namelen = peer != nullptr ? sizeof *peer : 0;
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(fd, &header, flags);
  if (got < 0 || (peer != nullptr && header.msg_namelen == 0)) return false;
  out = {static_cast<std::size_t>(got), static_cast<std::size_t>(got)};
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(c), sizeof segment);
    out.segment = static_cast<std::size_t>(segment);
  }
  return true;
}

void send_run(int fd, const Room& room, Received run, const sockaddr_in* peer) {
  iovec piece{const_cast<std::byte*>(room.data()), run.size};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> control{};
  msghdr header{};
  header.msg_name = const_cast<sockaddr_in*>(peer);
  header.msg_namelen = peer != nullptr ? sizeof *peer : 0;
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  if (run.segment < run.size) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = IPPROTO_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto segment = static_cast<std::uint16_t>(run.segment);
    std::memcpy(CMSG_DATA(c), &segment, sizeof segment);
  }
  (void)::sendmsg(fd, &header, 0);  // what does not leave is counted as lost
}

void echo_runs(int fd) {
  const auto room = std::make_unique<Room>();
  sockaddr_in peer{};
  Received run;
  while (receive(fd, *room, &peer, 0, run)) send_run(fd, *room, run, &peer);
}

class Client {
 public:
  Client(const Load& load, std::uint16_t target)
      : load_(load), association_(socks_associate(load.proxy)), header_(udp_header(target)) {
    tune(association_.socket.get());
  }

  void run() {
    const auto end = Clock::now() + std::chrono::duration<double>(load_.seconds);
    while (Clock::now() < end) {
      while (in_flight_ + kRun <= std::max(load_.window, kRun)) send_next();
      pollfd waiting{association_.socket.get(), POLLIN, 0};
      if (::poll(&waiting, 1, kLossTimeout_ms) <= 0) {
        lost_ += in_flight_;
        in_flight_ = 0;
        continue;
      }
      Received run;
      while (receive(association_.socket.get(), *room_, nullptr, MSG_DONTWAIT, run)) check(run);
    }
  }

  [[nodiscard]] std::size_t received() const { return received_; }
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  [[nodiscard]] std::size_t size() const { return header_.size() + load_.count; }

  void send_next() {
    for (std::size_t i = 0; i < kRun; ++i) {
      std::byte* at = room_->data() + i * size();
      std::memcpy(at, header_.data(), header_.size());
      std::memset(at + header_.size(), static_cast<int>(sent_ & 0xff), load_.count);
      std::memcpy(at + header_.size(), &sent_, sizeof sent_);
      ++sent_;
    }
    send_run(association_.socket.get(), *room_, {kRun * size(), size()}, nullptr);
    in_flight_ += kRun;
  }

  /// Every datagram is whole: its head, its number, and what follows from that.
  void check(Received run) {
    for (std::size_t at = 0; at < run.size; at += run.segment) {
      const std::byte* one = room_->data() + at;
      std::uint64_t number = 0;
      std::memcpy(&number, one + header_.size(), sizeof number);
      const bool right = run.segment == size() && run.size - at >= size() &&
                         std::memcmp(one, header_.data(), header_.size()) == 0 && number < sent_ &&
                         one[size() - 1] == static_cast<std::byte>(number & 0xff);
      if (!right) {
        std::fputs("a datagram came back changed\n", stderr);
        std::exit(1);
      }
      ++received_;
      in_flight_ -= std::min<std::size_t>(in_flight_, 1);
    }
  }

  const Load& load_;
  Association association_;
  std::array<std::byte, kUdpHeaderBytes> header_;
  std::unique_ptr<Room> room_ = std::make_unique<Room>();
  std::uint64_t sent_ = 0;
  std::size_t in_flight_ = 0, received_ = 0, lost_ = 0;
};

}  // namespace

void run_udp_bulk(const Load& load) {
  const sluice::UniqueFd target = bind_loopback(SOCK_DGRAM);
  tune(target.get());
  std::thread echo(echo_runs, target.get());
  std::vector<Client> clients;
  clients.reserve(load.flows);
  for (std::size_t i = 0; i < load.flows; ++i) clients.emplace_back(load, local_port(target.get()));
  std::vector<std::thread> threads;
  threads.reserve(load.flows);
  const auto start = Clock::now();
  for (Client& client : clients) threads.emplace_back([&client] { client.run(); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ::shutdown(target.get(), SHUT_RDWR);
  echo.join();
  std::size_t packets = 0;
  std::size_t lost = 0;
  for (const Client& client : clients) {
    packets += client.received();
    lost += client.lost();
  }
  std::printf("{\"packets\": %zu, \"lost\": %zu, \"seconds\": %.3f}\n", packets, lost, seconds);
}

}  // namespace perf
