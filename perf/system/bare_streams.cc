// The bare relay: accept, two handshake steps, connect, move bytes, close.

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <unordered_map>

#include "perf/system/bare.h"
#include "perf/system/handshake.h"
#include "perf/system/sockets.h"

namespace perf {

namespace {

using sluice::UniqueFd;
/// The best of 64 KiB to 1 MiB for each: a splice call costs more than its bytes.
constexpr std::size_t kPipeBytes = std::size_t{1024} * 1024;
constexpr std::size_t kCopyBytes = std::size_t{256} * 1024;
constexpr int kEvents = 128;

/// One direction of a flow. `held` bytes wait in the pipe or the flow's buffer.
struct Lane {
  UniqueFd pipe_in, pipe_out;
  std::size_t held = 0;
  bool ended = false;
};

struct Flow {
  UniqueFd client, upstream;
  enum class Step { greeting, request, connecting, relay } step = Step::greeting;
  Lane up, down;
};

class Server {
 public:
  Server(std::uint16_t port, Move move)
      : move_(move),
        listener_(bind_loopback(SOCK_STREAM, port)),
        epoll_(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
    watch(EPOLL_CTL_ADD, listener_.get(), EPOLLIN);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, kEvents> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), kEvents, -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_.get()) {
          accept_flow();
        } else if (const auto found = flows_.find(fd); found != flows_.end()) {
          const std::shared_ptr<Flow> flow = found->second;
          if (!advance(*flow, fd)) close(*flow);
        }
      }
    }
  }

 private:
  void watch(int operation, int fd, std::uint32_t wanted) {
    epoll_event event{};
    event.events = wanted;
    event.data.fd = fd;
    must(::epoll_ctl(epoll_.get(), operation, fd, &event), "epoll_ctl");
  }

  void accept_flow() {
    auto flow = std::make_shared<Flow>();
    flow->client.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!flow->client.valid()) return;
    set_no_delay(flow->client.get());
    watch(EPOLL_CTL_ADD, flow->client.get(), EPOLLIN);
    flows_[flow->client.get()] = std::move(flow);
  }

  /// False ends the flow.
  bool advance(Flow& flow, int ready) {
    switch (flow.step) {
      case Flow::Step::greeting:
        flow.step = Flow::Step::request;
        return answer_greeting(flow.client.get());
      case Flow::Step::request:
        return start_connect(flow);
      case Flow::Step::connecting:
        return ready != flow.upstream.get() || finish_connect(flow);
      case Flow::Step::relay:
        return relay(flow);
    }
    return false;
  }

  bool start_connect(Flow& flow) {
    Request request;
    if (!read_request(flow.client.get(), request)) return false;
    flow.upstream.reset(
        must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
    set_no_delay(flow.upstream.get());
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(request.ip);
    address.sin_port = htons(request.port);
    const int failed =
        ::connect(flow.upstream.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (failed != 0 && errno != EINPROGRESS) return false;
    flows_[flow.upstream.get()] = flows_[flow.client.get()];
    watch(EPOLL_CTL_ADD, flow.upstream.get(), failed != 0 ? EPOLLOUT : EPOLLIN);
    flow.step = Flow::Step::connecting;
    if (failed == 0) begin_relay(flow);  // loopback connects within the call
    return true;
  }

  void begin_relay(Flow& flow) {
    accept_request(flow.client.get(), 0);
    flow.step = Flow::Step::relay;
  }

  bool finish_connect(Flow& flow) {
    begin_relay(flow);
    watch(EPOLL_CTL_MOD, flow.upstream.get(), EPOLLIN);
    return true;
  }

  bool relay(Flow& flow) {
    const int client = flow.client.get();
    const int upstream = flow.upstream.get();
    if (!move_lane(flow.up, client, upstream) || !move_lane(flow.down, upstream, client)) {
      return false;
    }
    want(client, flow.up, flow.down);
    want(upstream, flow.down, flow.up);
    return !(flow.up.ended && flow.down.ended);
  }

  /// Readable while its own lane is empty, writable while the other lane holds bytes for it.
  void want(int fd, const Lane& from, const Lane& to) {
    std::uint32_t wanted = to.held > 0 ? EPOLLOUT : 0U;
    if (from.held == 0 && !from.ended) wanted |= EPOLLIN;
    if (std::uint32_t& known = wanted_[fd]; known != wanted) {
      known = wanted;
      watch(EPOLL_CTL_MOD, fd, wanted);
    }
  }

  bool move_lane(Lane& lane, int source, int sink) {
    return move_ == Move::splice ? splice_lane(lane, source, sink) : copy_lane(lane, source, sink);
  }

  static bool splice_lane(Lane& lane, int source, int sink) {
    if (!lane.pipe_in.valid()) open_pipe(lane);
    if (lane.held == 0 && !lane.ended) {
      const ssize_t got = ::splice(source, nullptr, lane.pipe_in.get(), nullptr, kPipeBytes,
                                   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (got == 0) return end_lane(lane, sink);
      if (got < 0) return errno == EAGAIN;
      lane.held = static_cast<std::size_t>(got);
    }
    if (lane.held == 0) return true;
    const ssize_t sent = ::splice(lane.pipe_out.get(), nullptr, sink, nullptr, lane.held,
                                  SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (sent < 0) return errno == EAGAIN;
    lane.held -= static_cast<std::size_t>(sent);
    return true;
  }

  /// What a slow sink did not take stays at the front of the lane's own buffer, made on first need.
  bool copy_lane(Lane& lane, int source, int sink) {
    std::unique_ptr<std::byte[]>& kept = kept_[source];
    if (lane.held > 0) {
      const ssize_t sent = ::send(sink, kept.get(), lane.held, MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN;
      lane.held -= static_cast<std::size_t>(sent);
      std::move(kept.get() + sent, kept.get() + sent + lane.held, kept.get());
      return true;
    }
    if (lane.ended) return true;
    const ssize_t got = ::recv(source, shared_.data(), shared_.size(), 0);
    if (got == 0) return end_lane(lane, sink);
    if (got < 0) return errno == EAGAIN;
    ssize_t sent = ::send(sink, shared_.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    sent = sent < 0 ? 0 : sent;
    lane.held = static_cast<std::size_t>(got - sent);
    if (lane.held > 0) {
      if (!kept) kept = std::make_unique<std::byte[]>(kCopyBytes);
      std::copy(shared_.data() + sent, shared_.data() + got, kept.get());
    }
    return true;
  }

  static bool end_lane(Lane& lane, int sink) {
    lane.ended = true;
    ::shutdown(sink, SHUT_WR);
    return true;
  }

  static void open_pipe(Lane& lane) {
    std::array<int, 2> ends;
    must(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), "pipe2");
    lane.pipe_out.reset(ends[0]);
    lane.pipe_in.reset(ends[1]);
    ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  }

  void close(Flow& flow) {
    for (const int fd : {flow.client.get(), flow.upstream.get()}) {
      kept_.erase(fd);
      wanted_.erase(fd);
      flows_.erase(fd);
    }
  }

  Move move_;
  UniqueFd listener_, epoll_;
  std::unordered_map<int, std::shared_ptr<Flow>> flows_;  // both ends of a flow lead to it
  std::unordered_map<int, std::uint32_t> wanted_;
  std::unordered_map<int, std::unique_ptr<std::byte[]>> kept_;
  std::array<std::byte, kCopyBytes> shared_{};
};

}  // namespace

void serve_streams(std::uint16_t port, Move move) {
  const auto server = std::make_unique<Server>(port, move);
  server->run();
}

}  // namespace perf
