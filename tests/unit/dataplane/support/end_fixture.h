// support/end_fixture.h - a loop, a pool and ends over real socket pairs, for tests of ends and
// handshakes.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/transport/socket_end.h"
#include "tests/support/empty_pool.h"

namespace sluice::test {

inline std::string text_of(const SliceQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.peek(std::as_writable_bytes(std::span(out)));
  return out;
}

inline std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + i * 7 % 26);
  return out;
}

class EndFixture : public ::testing::Test {
 protected:
  using SocketEnd = transport::SocketEnd;

  /// An end, and the bare descriptor on the other side of it.
  struct Pair {
    std::unique_ptr<SocketEnd> end;
    UniqueFd peer;
  };

  static std::array<UniqueFd, 2> socket_pair(int buffer = 0) {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
    if (buffer != 0)
      for (const int fd : fds) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
  }
  std::unique_ptr<SocketEnd> make_end(UniqueFd fd) {
    auto socket = Socket::adopt(*loop, std::move(fd));
    EXPECT_TRUE(socket);
    return std::make_unique<SocketEnd>(std::move(*socket), pool);
  }
  Pair make_pair(int buffer = 0) {
    auto fds = socket_pair(buffer);
    return {make_end(std::move(fds[0])), std::move(fds[1])};
  }

  static void say(const UniqueFd& peer, std::string_view text) {
    ASSERT_EQ(::send(peer.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// Everything that is there now.
  static std::string hear(const UniqueFd& peer) {
    std::string out;
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t size = ::recv(peer.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (size <= 0) return out;
      out.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }
  static bool at_end(const UniqueFd& peer) {
    char one = 0;
    return ::recv(peer.get(), &one, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
  }

  SliceQueue queue_of(std::string_view text, std::size_t headroom = kHeadroom) {
    SliceQueue queue;
    EXPECT_TRUE(queue.copy_in(pool, as_byte_view(text), headroom));
    return queue;
  }

  /// Lets the loop see what the kernel has.
  void turn() { loop->run_once(0_ms); }
  [[nodiscard]] Until soon() const { return loop->now() + 5_s; }

  /// No slice more than `blocks` until give_slices(): the pool is empty after that many.
  void keep_slices(std::uint64_t blocks) {
    test::empty_pool(pool);
    budget.set_bound(budget.used() + blocks * kBlockBytes);
  }
  void give_slices() { budget.set_bound(1024 * kBlockBytes); }
  /// Gives them back while a task waits; spawn before run().
  Task<void> give_slices_later() {
    co_await sleep_until(*loop, loop->now() + 30_ms);
    give_slices();
  }

  /// Runs a task to its end and returns what it gave.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> out;
    loop->spawn(store(std::move(task), out));
    for (int turns = 0; turns < 2000 && !out; ++turns) loop->run_once(10_ms);
    if (!out) {
      ADD_FAILURE() << "the task did not end";
      std::abort();
    }
    return std::move(*out);
  }
  template <class T>
  static Task<void> store(Task<T> task, std::optional<T>& out) {
    T value = co_await task;
    out.emplace(std::move(value));
  }

  MemoryBudget budget{1024 * kBlockBytes};
  SlicePool pool{budget};
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
};

}  // namespace sluice::test
