// Datagrams there and back: each client keeps `window` in flight and compares what returns.

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "perf/system/load.h"
#include "perf/system/sockets.h"
#include "perf/system/socks_client.h"

namespace perf {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLossTimeout_ms = 200;  // nothing for this long: what was in flight is lost
constexpr std::size_t kMaxDatagram = 2048;

/// Sends every datagram back to where it came from, until the socket is shut down.
void echo_datagrams(int fd) {
  std::array<std::byte, kMaxDatagram> room;
  for (;;) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const ssize_t got =
        ::recvfrom(fd, room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&peer), &size);
    if (got < 0 || size == 0) return;
    ::sendto(fd, room.data(), static_cast<std::size_t>(got), 0,
             reinterpret_cast<const sockaddr*>(&peer), size);
  }
}

/// One client: header, then a payload that starts with its number.
class Client {
 public:
  Client(const Load& load, std::uint16_t target)
      : load_(load), association_(socks_associate(load.proxy)), header_(udp_header(target)) {}

  void run() {
    const auto end = Clock::now() + std::chrono::duration<double>(load_.seconds);
    while (Clock::now() < end) {
      while (in_flight_ < load_.window) send_next();
      if (!wait_readable()) {
        lost_ += in_flight_;
        in_flight_ = 0;
        continue;
      }
      while (in_flight_ > 0 && receive_one()) {
      }
    }
  }

  [[nodiscard]] std::size_t received() const { return received_; }
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  void send_next() {
    std::array<std::byte, kMaxDatagram> room;
    const std::size_t size = fill(room, sent_);
    must(static_cast<int>(::send(association_.socket.get(), room.data(), size, 0)), "send");
    ++sent_;
    ++in_flight_;
  }

  /// The datagram number `number`: the whole payload follows from it.
  std::size_t fill(std::array<std::byte, kMaxDatagram>& room, std::uint64_t number) const {
    std::copy(header_.begin(), header_.end(), room.begin());
    std::byte* payload = room.data() + header_.size();
    std::memset(payload, static_cast<int>(number & 0xff), load_.count);
    std::memcpy(payload, &number, std::min(sizeof number, load_.count));
    return header_.size() + load_.count;
  }

  bool wait_readable() {
    pollfd waiting{association_.socket.get(), POLLIN, 0};
    return ::poll(&waiting, 1, kLossTimeout_ms) > 0;
  }

  bool receive_one() {
    std::array<std::byte, kMaxDatagram> room;
    const ssize_t got = ::recv(association_.socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0) return false;
    std::uint64_t number = 0;
    std::memcpy(&number, room.data() + header_.size(), sizeof number);
    std::array<std::byte, kMaxDatagram> expected;
    const std::size_t size = fill(expected, number);
    if (static_cast<std::size_t>(got) != size ||
        std::memcmp(room.data(), expected.data(), size) != 0) {
      std::fputs("a datagram came back changed\n", stderr);
      std::exit(1);
    }
    ++received_;
    --in_flight_;
    return true;
  }

  const Load& load_;
  Association association_;
  std::array<std::byte, kUdpHeaderBytes> header_;
  std::uint64_t sent_ = 0;
  std::size_t in_flight_ = 0, received_ = 0, lost_ = 0;
};

}  // namespace

void run_udp(const Load& load) {
  const sluice::UniqueFd target = bind_loopback(SOCK_DGRAM);
  const std::uint16_t port = local_port(target.get());
  std::thread echo(echo_datagrams, target.get());
  std::vector<Client> clients;
  clients.reserve(load.flows);
  for (std::size_t i = 0; i < load.flows; ++i) clients.emplace_back(load, port);
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
