// Bulk transfers, connections and held flows.

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "perf/system/load.h"
#include "perf/system/sockets.h"
#include "perf/system/socks_client.h"

namespace perf {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

sluice::UniqueFd open_flow(const Load& load, std::uint16_t target) {
  return load.proxy == 0 ? connect_loopback(target) : socks_connect(load.proxy, target);
}

/// Sends for `seconds`, then ends the stream.
void pour(int fd, double seconds) {
  static const std::array<std::byte, kChunkBytes> chunk{};
  const auto start = Clock::now();
  while (seconds_since(start) < seconds) send_all(fd, chunk);
  must(::shutdown(fd, SHUT_WR), "shutdown");
}

/// Reads to the end without copying the bytes out of the kernel; returns their number.
std::size_t drain(int fd) {
  std::size_t total = 0;
  for (;;) {
    const ssize_t got = ::recv(fd, nullptr, 1 << 20, MSG_TRUNC);
    if (got < 0) die("recv");
    if (got == 0) return total;
    total += static_cast<std::size_t>(got);
  }
}

/// Runs `flows` transfers at once; `to_target` says which way the bytes go.
void run_bulk(const Load& load, bool to_target) {
  const sluice::UniqueFd listener = bind_loopback(SOCK_STREAM);
  const std::uint16_t port = local_port(listener.get());
  std::atomic<std::size_t> bytes{0};
  std::vector<std::thread> threads;
  const auto work = [&](const sluice::UniqueFd& fd, bool sends) {
    if (sends) {
      pour(fd.get(), load.seconds);
      drain(fd.get());
    } else {
      bytes += drain(fd.get());
      ::shutdown(fd.get(), SHUT_WR);
    }
  };
  const auto start = Clock::now();
  for (std::size_t i = 0; i < load.flows; ++i) {
    threads.emplace_back([&] { work(accept_one(listener.get()), !to_target); });
    threads.emplace_back([&] { work(open_flow(load, port), to_target); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("{\"bytes\": %zu, \"seconds\": %.3f}\n", bytes.load(), seconds_since(start));
}

/// Echoes every byte of one connection.
void echo_all(int listener) {
  const sluice::UniqueFd fd = accept_one(listener);
  set_no_delay(fd.get());
  std::array<std::byte, 1> byte{};
  while (receive_all(fd.get(), byte)) send_all(fd.get(), byte);
}

/// Echoes one byte on each connection, over and over, until the listener is shut down.
void echo_one_byte(int listener) {
  for (;;) {
    const sluice::UniqueFd fd = accept_one(listener);
    if (!fd.valid()) return;
    std::array<std::byte, 1> byte{};
    if (receive_all(fd.get(), byte)) send_all(fd.get(), byte);
    while (receive_all(fd.get(), byte)) {
    }
  }
}

void echo_through(int fd) {
  std::array<std::byte, 1> byte{};
  send_all(fd, byte);
  if (!receive_all(fd, byte)) die("the echo did not come back");
}

}  // namespace

void run_download(const Load& load) {
  run_bulk(load, false);
}
void run_upload(const Load& load) {
  run_bulk(load, true);
}

void run_connections(const Load& load) {
  const sluice::UniqueFd listener = bind_loopback(SOCK_STREAM);
  const std::uint16_t port = local_port(listener.get());
  std::vector<std::thread> echoes;
  echoes.reserve(load.flows);
  for (std::size_t i = 0; i < load.flows; ++i) {
    echoes.emplace_back(echo_one_byte, listener.get());
  }
  const auto start = Clock::now();
  std::vector<std::thread> clients;
  clients.reserve(load.flows);
  for (std::size_t i = 0; i < load.flows; ++i) {
    clients.emplace_back([&] {
      for (std::size_t n = 0; n < load.count / load.flows; ++n) {
        echo_through(open_flow(load, port).get());
      }
    });
  }
  for (std::thread& client : clients) client.join();
  const double seconds = seconds_since(start);
  ::shutdown(listener.get(), SHUT_RDWR);
  for (std::thread& echo : echoes) echo.join();
  std::printf("{\"connections\": %zu, \"seconds\": %.3f}\n", load.count / load.flows * load.flows,
              seconds);
}

void run_ping(const Load& load) {
  const sluice::UniqueFd echo = bind_loopback(SOCK_STREAM);
  const sluice::UniqueFd once = bind_loopback(SOCK_STREAM);
  std::thread far_end(echo_all, echo.get());
  std::thread far_ends(echo_one_byte, once.get());
  std::atomic<bool> over{false};
  std::atomic<std::size_t> opened{0};
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < load.flows; ++i)
    clients.emplace_back([&] {
      for (; !over; ++opened) echo_through(open_flow(load, local_port(once.get())).get());
    });
  sluice::UniqueFd flow = open_flow(load, local_port(echo.get()));
  set_no_delay(flow.get());
  std::size_t round_trips = 0;
  double longest = 0;
  const auto start = Clock::now();
  while (seconds_since(start) < load.seconds) {
    const auto sent = Clock::now();
    echo_through(flow.get());
    longest = std::max(longest, seconds_since(sent));
    ++round_trips;
  }
  const double seconds = seconds_since(start);
  over = true;
  for (std::thread& client : clients) client.join();
  flow.reset();
  ::shutdown(once.get(), SHUT_RDWR);
  far_end.join();
  far_ends.join();
  std::printf("{\"round_trips\": %zu, \"longest_us\": %.0f, \"opened\": %zu, \"seconds\": %.3f}\n",
              round_trips, longest * 1e6, opened.load(), seconds);
}

void run_latency(const Load& load) {
  constexpr double kRampUp = 0.2;  // the bulk flows are in full swing before and after the samples
  const sluice::UniqueFd bulk = bind_loopback(SOCK_STREAM);
  const sluice::UniqueFd echo = bind_loopback(SOCK_STREAM);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < load.flows; ++i) {
    threads.emplace_back([&] {
      const sluice::UniqueFd fd = accept_one(bulk.get());
      pour(fd.get(), load.seconds + 2 * kRampUp);
      drain(fd.get());
    });
    threads.emplace_back([&] {
      const sluice::UniqueFd fd = open_flow(load, local_port(bulk.get()));
      drain(fd.get());
      ::shutdown(fd.get(), SHUT_WR);
    });
  }
  threads.emplace_back(echo_all, echo.get());
  sluice::UniqueFd flow = open_flow(load, local_port(echo.get()));
  set_no_delay(flow.get());
  std::this_thread::sleep_for(std::chrono::duration<double>(kRampUp));
  std::vector<double> took;
  const auto start = Clock::now();
  while (seconds_since(start) < load.seconds) {
    const auto sent = Clock::now();
    echo_through(flow.get());
    took.push_back(seconds_since(sent) * 1e6);
  }
  flow.reset();
  for (std::thread& thread : threads) thread.join();
  std::sort(took.begin(), took.end());
  const auto at = [&](std::size_t percent) { return took[took.size() * percent / 100]; };
  std::printf("{\"round_trips\": %zu, \"p50_us\": %.1f, \"p99_us\": %.1f}\n", took.size(), at(50),
              at(99));
}

void run_hold(const Load& load) {
  const sluice::UniqueFd listener = bind_loopback(SOCK_STREAM);
  const std::uint16_t port = local_port(listener.get());
  std::vector<sluice::UniqueFd> near_ends;
  std::vector<sluice::UniqueFd> far_ends;
  for (std::size_t i = 0; i < load.count; ++i) {
    near_ends.push_back(open_flow(load, port));
    far_ends.push_back(accept_one(listener.get()));
    std::array<std::byte, 1> byte{};
    send_all(near_ends.back().get(), byte);
    if (!receive_all(far_ends.back().get(), byte)) die("the flow ended");
    send_all(far_ends.back().get(), byte);
    if (!receive_all(near_ends.back().get(), byte)) die("the flow ended");
  }
  std::printf("{\"held\": %zu}\n", near_ends.size());
  std::fflush(stdout);
  std::getchar();
  near_ends.clear();
  far_ends.clear();
  std::printf("{\"closed\": %zu}\n", load.count);
}

}  // namespace perf
