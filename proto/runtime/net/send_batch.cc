#include "proto/runtime/net/send_batch.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace sluice {
namespace {

/// Fills a source-address control message; returns its length.
std::size_t put_source(std::span<std::byte> room, const IpAddress& source, bool as_v6) noexcept {
  auto* c = reinterpret_cast<cmsghdr*>(room.data());
  if (source.is_v4() && !as_v6) {
    c->cmsg_level = SOL_IP;
    c->cmsg_type = IP_PKTINFO;
    c->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
    in_pktinfo info{};
    info.ipi_spec_dst.s_addr = htonl(source.v4_value());
    std::memcpy(CMSG_DATA(c), &info, sizeof info);
    return CMSG_SPACE(sizeof info);
  }
  c->cmsg_level = SOL_IPV6;
  c->cmsg_type = IPV6_PKTINFO;
  c->cmsg_len = CMSG_LEN(sizeof(in6_pktinfo));
  in6_pktinfo info{};
  const auto mapped = source.mapped();
  std::memcpy(&info.ipi6_addr, mapped.data(), mapped.size());
  std::memcpy(CMSG_DATA(c), &info, sizeof info);
  return CMSG_SPACE(sizeof info);
}

std::size_t put_segment(std::span<std::byte> room, std::size_t size) noexcept {
  auto* c = reinterpret_cast<cmsghdr*>(room.data());
  c->cmsg_level = IPPROTO_UDP;
  c->cmsg_type = UDP_SEGMENT;
  const auto bytes = static_cast<std::uint16_t>(size);
  c->cmsg_len = CMSG_LEN(sizeof bytes);
  std::memcpy(CMSG_DATA(c), &bytes, sizeof bytes);
  return CMSG_SPACE(sizeof bytes);
}

/// How many of the first datagrams may leave as segments of one: one peer, one size, the last one
/// may be shorter. An empty datagram cannot be a segment.
std::size_t run_length(std::span<const OutDatagram> batch, std::size_t limit) noexcept {
  const OutDatagram& first = batch.front();
  const std::size_t size = first.size();
  if (size == 0 || size > limit) return 1;
  std::size_t total = size;
  std::size_t count = 1;
  while (count < std::min(batch.size(), kMaxSegments)) {
    const OutDatagram& next = batch[count];
    total += next.size();
    if (next.size() == 0 || next.size() > size || total > kMaxSegmented || next.to != first.to ||
        next.source != first.source)
      break;
    ++count;
    if (next.size() < size) break;
  }
  return count;
}

/// One call's messages. Nothing is initialised before it is filled.
class Messages {
 public:
  void fill(std::span<const OutDatagram> batch, bool as_v6, std::size_t limit) noexcept {
    count_ = 0;
    pieces_used_ = 0;
    while (!batch.empty()) {
      const std::size_t run = run_length(batch, limit);
      add(batch.first(run), as_v6);
      batch = batch.subspan(run);
    }
  }
  int send(int fd) noexcept {
    return ::sendmmsg(fd, headers_.data(), static_cast<unsigned>(count_),
                      MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  /// Datagrams in the first `messages`.
  [[nodiscard]] std::size_t datagrams(std::size_t messages) const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < messages; ++i) sum += runs_[i];
    return sum;
  }

 private:
  void add(std::span<const OutDatagram> run, bool as_v6) noexcept {
    const OutDatagram& first = run.front();
    msghdr& h = headers_[count_].msg_hdr;
    h = {};
    h.msg_iov = &pieces_[pieces_used_];
    for (const OutDatagram& d : run) {
      if (!d.head.empty()) add_piece(d.head);
      if (!d.bytes.empty() || d.head.empty()) add_piece(d.bytes);
    }
    h.msg_iovlen = static_cast<std::size_t>(&pieces_[pieces_used_] - h.msg_iov);
    h.msg_namelen = first.to.to_sockaddr(names_[count_], as_v6);
    h.msg_name = h.msg_namelen != 0 ? &names_[count_] : nullptr;
    std::span<std::byte> control = controls_[count_].bytes;
    std::size_t used = 0;
    if (first.source.valid()) used += put_source(control, first.source, as_v6);
    if (run.size() > 1) used += put_segment(control.subspan(used), first.size());
    if (used != 0) {
      h.msg_control = control.data();
      h.msg_controllen = used;
    }
    runs_[count_++] = run.size();
  }
  void add_piece(ByteView piece) noexcept {
    pieces_[pieces_used_++] = {const_cast<std::byte*>(piece.data()), piece.size()};
  }

  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(std::uint16_t))>
        bytes;
  };
  std::size_t count_;
  std::size_t pieces_used_;
  std::array<mmsghdr, kSendBatch> headers_;
  std::array<iovec, 2 * kSendBatch> pieces_;
  std::array<sockaddr_storage, kSendBatch> names_;
  std::array<Control, kSendBatch> controls_;
  std::array<std::size_t, kSendBatch> runs_;
};

/// Segments larger than the path's packets (EINVAL, since Linux 6.9 EMSGSIZE), or a device or
/// policy that cannot have them at all (EIO). False: the error says something else.
bool lower(SegmentLimit& limit, int error, std::size_t size) noexcept {
  if (error == EMSGSIZE || error == EINVAL) {
    limit.refused(size);
    return true;
  }
  if (error != EIO && error != EOPNOTSUPP) return false;
  limit.bytes = 0;
  return true;
}

}  // namespace

std::size_t send_batch(int fd, std::span<const OutDatagram> batch, bool as_v6,
                       SegmentLimit* limit) noexcept {
  if (limit != nullptr && !can_segment()) limit = nullptr;
  Messages messages;
  std::size_t left = 0;
  bool again = false;
  while (!batch.empty()) {
    messages.fill(batch.first(std::min(batch.size(), kSendBatch)), as_v6,
                  limit != nullptr ? limit->bytes : 0);
    const int sent = messages.send(fd);
    if (sent > 0) {
      const std::size_t count = messages.datagrams(static_cast<std::size_t>(sent));
      left += count;
      batch = batch.subspan(count);
      again = false;
      continue;
    }
    const int error = errno;
    if (error == EAGAIN || error == ENOBUFS) break;
    if (error == EINTR) continue;
    const std::size_t run = messages.datagrams(1);
    if (run > 1 && lower(*limit, error, batch.front().size())) continue;
    // The first error may be an ICMP one that waited on the socket: reading it has removed it, and
    // it says nothing of this datagram.
    again = !again;
    if (!again) batch = batch.subspan(run);
  }
  return left;
}

}  // namespace sluice
