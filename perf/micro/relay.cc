// What the relay itself costs: bytes wait in one loopback socket, one turn moves them, they are
// read at the other. Only the turn's CPU time is taken, not that of the load at both ends; beside
// it the least that any program must do for the same bytes.
//
//   splice   both ends bare          bare_splice  epoll_wait, splice in, splice out
//   slices   a layer without effect  bare_copy    epoll_wait, recv and send through one buffer
//   aes      a Shadowsocks upstream  bare_aes     bare_copy and the cipher over the same records
//
// The argument is the bytes of a turn: 32 KiB as others measure it, 256 KiB as a bulk flow has it.
#include "dataplane/flow/relay.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include "dataplane/protocol/shadowsocks/layer.h"
#include "dataplane/protocol/shadowsocks/record.h"
#include "dataplane/transport/socket_end.h"
#include "perf/micro/count_allocations.h"
#include "proto/runtime/net/open.h"

namespace {

using namespace sluice;
using sluice::perf::expect_none;
using sluice::perf::so_far;

constexpr std::size_t kCopyBytes = std::size_t{128} * 1024;
constexpr std::size_t kPipeBytes = std::size_t{1024} * 1024;
constexpr int kSocketBuffer = 4 << 20;
constexpr auto kAes = crypto::AeadKind::aes_128_gcm;

/// Two ends of one loopback connection, both non-blocking.
struct Pair {
  Pair() {
    auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
    outer = std::move(*start_connect(local_endpoint(listener->get()), {}));
    Endpoint peer;
    Result<UniqueFd> accepted = fail(Errc::again);
    while (!accepted) accepted = accept_one(listener->get(), peer);
    inner = std::move(*accepted);
    for (const int fd : {outer.get(), inner.get()}) {
      (void)::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSocketBuffer, sizeof kSocketBuffer);
      (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kSocketBuffer, sizeof kSocketBuffer);
    }
  }
  UniqueFd outer;  ///< the load's
  UniqueFd inner;  ///< the relay's
};

void put(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

/// Throws away what is there; returns how much it was.
std::size_t take(int fd) {
  std::size_t total = 0;
  for (;;) {
    const ssize_t n = ::recv(fd, nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
    if (n <= 0) return total;
    total += static_cast<std::size_t>(n);
  }
}

class NoOwner final : public SnapshotOwner {
 public:
  void on_released(const void*, unsigned) noexcept override {}
};

/// Hands bytes on unchanged but is a layer: the relay must use slices.
class Nothing final : public transport::Layer {
 public:
  [[nodiscard]] transport::LayerShape shape() const noexcept override { return {}; }
  [[nodiscard]] transport::LayerState state() const noexcept override {
    return transport::LayerState::open;
  }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue&) noexcept override {
    plain.append(std::move(wire));
    return {};
  }
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override {
    wire.append(std::move(plain));
    return {};
  }
};

enum class Kind : std::uint8_t { splice, slices, aes };

/// CPU seconds of this thread: what else runs on the machine does not count.
double cpu_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A relay on a worker of its own, run by hand.
class Product {
 public:
  explicit Product(Kind kind)
      : worker_(std::move(*Worker::make({0, std::size_t{16} << 20U}, budget_, owner_))),
        key_(*shadowsocks::Key::make(kAes, "benchmark")) {
    client_ = end_of(client.inner);
    upstream_ = end_of(upstream.inner);
    if (kind == Kind::slices) upstream_->push(std::make_unique<Nothing>());
    if (kind == Kind::aes) {
      Destination to;
      to.ip = IpAddress::v4(0x7f000001);
      to.port = 1;
      upstream_->push(std::move(*shadowsocks::ShadowsocksLayer::make(key_, worker_->slices(), to)));
    }
    relay_.emplace(*worker_, *client_, *upstream_, meter_, grant_,
                   flow::RelayLimits{.idle = 3'600_s, .half_closed = 3'600_s});
    relay_->start();
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() { relay_.reset(); }

  /// Until `size` more bytes have gone up.
  void move(std::size_t size) {
    const std::uint64_t goal = meter_.upload + size;
    while (meter_.upload < goal || upstream_->queued() != 0) worker_->loop().run_once(0_ms);
  }

  Pair client;
  Pair upstream;

 private:
  std::unique_ptr<transport::SocketEnd> end_of(UniqueFd& fd) {
    return std::make_unique<transport::SocketEnd>(
        std::move(*Socket::adopt(worker_->loop(), std::move(fd))), worker_->slices());
  }

  MemoryBudget budget_{64U << 20U};
  NoOwner owner_;
  std::unique_ptr<Worker> worker_;
  shadowsocks::Key key_;
  flow::Meter meter_;
  Grant grant_;
  std::unique_ptr<transport::SocketEnd> client_;
  std::unique_ptr<transport::SocketEnd> upstream_;
  std::optional<flow::Relay> relay_;
};

/// The same by the fewest calls.
class Bare {
 public:
  explicit Bare(Kind kind)
      : kind_(kind), epoll_(::epoll_create1(EPOLL_CLOEXEC)), buffer_(kCopyBytes) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, client.inner.get(), &event);
    std::array<int, 2> ends{};
    (void)::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK);
    pipe_out_.reset(ends[0]);
    pipe_in_.reset(ends[1]);
    (void)::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
    const std::array<std::byte, crypto::kMaxKeySize> key{};
    cipher_ = std::move(*crypto::Aead::make(kAes, crypto::Aead::Direction::seal,
                                            ByteView(key).first(crypto::key_size(kAes))));
  }

  void move(std::size_t size) {
    epoll_event event{};
    (void)::epoll_wait(epoll_.get(), &event, 1, 0);
    while (size != 0) size -= kind_ == Kind::splice ? splice_some() : copy_some();
  }

  Pair client;
  Pair upstream;

 private:
  std::size_t splice_some() {
    const ssize_t got = ::splice(client.inner.get(), nullptr, pipe_in_.get(), nullptr, kPipeBytes,
                                 SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (got <= 0) return 0;
    for (ssize_t left = got; left > 0;) {
      const ssize_t sent =
          ::splice(pipe_out_.get(), nullptr, upstream.inner.get(), nullptr,
                   static_cast<std::size_t>(left), SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
      if (sent > 0) left -= sent;
    }
    return static_cast<std::size_t>(got);
  }
  std::size_t copy_some() {
    const ssize_t got = ::recv(client.inner.get(), buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return 0;
    const std::span<std::byte> bytes = std::span(buffer_).first(static_cast<std::size_t>(got));
    if (kind_ == Kind::aes) seal(bytes);
    put(upstream.inner.get(), bytes);
    return static_cast<std::size_t>(got);
  }
  /// The records that Shadowsocks would make of it; where they end up does not matter here.
  void seal(std::span<std::byte> bytes) {
    std::array<std::byte, 2> length{};
    std::array<std::byte, crypto::kTagSize> tag{};
    while (!bytes.empty()) {
      const std::size_t size = std::min(bytes.size(), shadowsocks::kMaxPayload);
      benchmark::DoNotOptimize(cipher_->seal(nonce_.next(), length, tag));
      benchmark::DoNotOptimize(cipher_->seal(nonce_.next(), bytes.first(size), tag));
      bytes = bytes.subspan(size);
    }
  }

  Kind kind_;
  UniqueFd epoll_;
  UniqueFd pipe_in_;
  UniqueFd pipe_out_;
  std::vector<std::byte> buffer_;
  std::optional<crypto::Aead> cipher_;
  shadowsocks::Nonce nonce_;
};

template <class Relay, Kind kind>
void turn(benchmark::State& state) {
  Relay relay(kind);
  const std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)));
  const auto once = [&] {
    put(relay.client.outer.get(), bytes);
    const double begun = cpu_now();
    relay.move(bytes.size());
    const double took = cpu_now() - begun;
    (void)take(relay.upstream.outer.get());
    return took;
  };
  for (int i = 0; i < 64; ++i) once();  // warms the pools up
  const std::uint64_t before = so_far();
  for (auto _ : state) state.SetIterationTime(once());
  expect_none(state, before);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

#define RELAY_BENCHMARK(name, relay, kind) \
  BENCHMARK(turn<relay, kind>)->Name(name)->Arg(32 << 10)->Arg(256 << 10)->UseManualTime()

RELAY_BENCHMARK("bare_splice", Bare, Kind::splice);
RELAY_BENCHMARK("splice", Product, Kind::splice);
RELAY_BENCHMARK("bare_copy", Bare, Kind::slices);
RELAY_BENCHMARK("slices", Product, Kind::slices);
RELAY_BENCHMARK("bare_aes", Bare, Kind::aes);
RELAY_BENCHMARK("aes", Product, Kind::aes);

}  // namespace

BENCHMARK_MAIN();
