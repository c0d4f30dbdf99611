#include "dataplane/transport/datagram_port.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::transport {

void DatagramPort::start() noexcept {
  ask_for_merged(socket_.fd());
  socket_.watch().set_sink(this);
  socket_.loop().requeue(*this);
}

void DatagramPort::receive() noexcept {
  if (!socket_.watch().readable()) return;
  for (unsigned batch = 0; batch < kBatchesPerTurn; ++batch) {
    if (receive_batch(receiver_)) continue;
    socket_.watch().clear_readable();
    return;
  }
  socket_.loop().requeue(*this);
}

void DatagramPort::receive_errors() noexcept {
  for (unsigned i = 0; i < kErrorsPerTurn; ++i) {
    const auto error = next_send_error(socket_.fd());
    if (!error) return;
    receiver_.on_send_error(*error);
  }
}

bool DatagramPort::receive_batch(DatagramReceiver& receiver) noexcept {
  const auto received = batch_.receive(socket_.fd());
  // Any other error is an ICMP one that waited on the socket: it says nothing of later datagrams.
  if (!received) return received.error().code != Errc::again;
  for (auto packets = *received; !packets.empty(); packets = batch_.rest()) {
    const auto cut = std::ranges::remove_if(packets, &Packet::truncated);
    const std::size_t count = packets.size() - cut.size();
    if (count != 0) receiver.on_datagrams(packets.first(count));
  }
  return batch_.filled();
}

void DatagramPort::drain_to(DatagramReceiver& other) noexcept {
  unsigned left = kDrainBatches;
  while (left != 0 && receive_batch(other)) --left;
}

Result<Socket> connect_udp(Loop& loop, const Endpoint& to, const DialOptions& options) {
  auto fd = open_udp(to.ip.family(), options);
  if (!fd) return fail(fd.error());
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&raw), size) != 0)
    return fail_errno(errno, Side::upstream);
  return Socket::adopt(loop, std::move(*fd), Interest::reading);
}

}  // namespace sluice::transport
