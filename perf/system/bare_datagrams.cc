// The bare UDP relay: one association is two sockets; headers are cut off on the way out and put in
// front on the way back. Batches of kBatch by recvmmsg and sendmmsg, no offload.

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "perf/system/bare.h"
#include "perf/system/handshake.h"
#include "perf/system/sockets.h"
#include "perf/system/socks_client.h"

namespace perf {

namespace {

using sluice::UniqueFd;
constexpr std::size_t kBatch = 32;
constexpr std::size_t kMaxDatagram = 2048;
constexpr std::size_t kTargetOffset = 4;  // RSV(2) FRAG(1) ATYP(1) stand before the address

struct Flow {
  UniqueFd control, inside, outside;
  sockaddr_in client{};  // where replies go; from the last datagram
  bool associated = false;
};

/// Room for one batch; each datagram has space in front for a header.
struct Batch {
  std::array<std::array<std::byte, kUdpHeaderBytes + kMaxDatagram>, kBatch> rooms;
  std::array<sockaddr_in, kBatch> peers;
  std::array<iovec, kBatch> pieces;
  std::array<mmsghdr, kBatch> messages;

  /// Receives behind `offset` bytes of each room; returns how many arrived.
  int receive(int fd, std::size_t offset) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      pieces[i] = {rooms[i].data() + offset, kMaxDatagram};
      messages[i].msg_hdr = {};
      messages[i].msg_hdr.msg_name = &peers[i];
      messages[i].msg_hdr.msg_namelen = sizeof peers[i];
      messages[i].msg_hdr.msg_iov = &pieces[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    return ::recvmmsg(fd, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  }

  void send(int fd, int count) {
    static_cast<void>(::sendmmsg(fd, messages.data(), static_cast<unsigned>(count), MSG_DONTWAIT));
  }
};

class Server {
 public:
  explicit Server(std::uint16_t port)
      : listener_(bind_loopback(SOCK_STREAM, port)),
        epoll_(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
    watch(listener_.get());
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 64> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.fd);
    }
  }

 private:
  void watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    must(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  }

  void handle(int fd) {
    if (fd == listener_.get()) return accept_flow();
    const auto found = flows_.find(fd);
    if (found == flows_.end()) return;
    const std::shared_ptr<Flow> flow = found->second;
    if (fd == flow->inside.get()) return send_out(*flow);
    if (fd == flow->outside.get()) return send_back(*flow);
    if (!negotiate(flow)) close(*flow);
  }

  void accept_flow() {
    auto flow = std::make_shared<Flow>();
    flow->control = accept_one(listener_.get());
    if (!flow->control.valid() || !answer_greeting(flow->control.get())) return;
    watch(flow->control.get());
    flows_[flow->control.get()] = std::move(flow);
  }

  bool negotiate(const std::shared_ptr<Flow>& flow) {
    Request request;
    if (flow->associated || !read_request(flow->control.get(), request)) return false;
    flow->inside = bind_loopback(SOCK_DGRAM);
    flow->outside = bind_loopback(SOCK_DGRAM);
    flow->associated = true;
    for (const int fd : {flow->inside.get(), flow->outside.get()}) {
      flows_[fd] = flow;
      watch(fd);
    }
    accept_request(flow->control.get(), local_port(flow->inside.get()));
    return true;
  }

  /// Client to target: the header says where to.
  void send_out(Flow& flow) {
    const int count = batch_.receive(flow.inside.get(), 0);
    for (std::size_t i = 0; static_cast<int>(i) < count; ++i) {
      flow.client = batch_.peers[i];
      std::byte* head = batch_.rooms[i].data() + kTargetOffset;
      std::memcpy(&batch_.peers[i].sin_addr, head, 4);
      std::memcpy(&batch_.peers[i].sin_port, head + 4, 2);
      batch_.pieces[i] = {head + 6, batch_.messages[i].msg_len - kUdpHeaderBytes};
    }
    if (count > 0) batch_.send(flow.outside.get(), count);
  }

  /// Target to client: the target's address goes in front.
  void send_back(Flow& flow) {
    const int count = batch_.receive(flow.outside.get(), kUdpHeaderBytes);
    for (std::size_t i = 0; static_cast<int>(i) < count; ++i) {
      std::byte* head = batch_.rooms[i].data();
      std::memcpy(head, "\0\0\0\1", kTargetOffset);
      std::memcpy(head + 4, &batch_.peers[i].sin_addr, 4);
      std::memcpy(head + 8, &batch_.peers[i].sin_port, 2);
      batch_.peers[i] = flow.client;
      batch_.pieces[i] = {head, batch_.messages[i].msg_len + kUdpHeaderBytes};
    }
    if (count > 0) batch_.send(flow.inside.get(), count);
  }

  void close(Flow& flow) {
    flows_.erase(flow.inside.get());
    flows_.erase(flow.outside.get());
    flows_.erase(flow.control.get());
  }

  UniqueFd listener_, epoll_;
  std::unordered_map<int, std::shared_ptr<Flow>> flows_;
  Batch batch_{};
};

}  // namespace

void serve_datagrams(std::uint16_t port) {
  const auto server = std::make_unique<Server>(port);
  server->run();
}

}  // namespace perf
