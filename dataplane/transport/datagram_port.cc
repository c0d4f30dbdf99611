#include "dataplane/transport/datagram_port.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::transport {

void DatagramPort::start() noexcept {
  socket_.watch().set_sink(this);
  socket_.loop().requeue(*this);
}

void DatagramPort::receive() noexcept {
  if (!socket_.watch().readable()) return;
  for (unsigned batch = 0; batch < kBatchesPerTurn; ++batch) {
    const auto packets = batch_.receive(socket_.fd());
    if (!packets && packets.error().code == Errc::again) {
      socket_.watch().clear_readable();
      return;
    }
    // Anything else is an ICMP error that waited on the socket: it says nothing of later datagrams.
    if (!packets) continue;
    const auto whole =
        std::ranges::partition(*packets, [](const Packet& p) { return !p.truncated; });
    const std::size_t count = packets->size() - whole.size();
    if (count != 0) receiver_.on_datagrams(packets->first(count));
  }
  socket_.loop().requeue(*this);
}

Result<Socket> connect_udp(Loop& loop, const Endpoint& to, const DialOptions& options) {
  auto fd = open_udp(to.ip.family(), options);
  if (!fd) return fail(fd.error());
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&raw), size) != 0)
    return fail_errno(errno, Side::upstream);
  return Socket::adopt(loop, std::move(*fd));
}

}  // namespace sluice::transport
