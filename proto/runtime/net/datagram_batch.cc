#include "proto/runtime/net/datagram_batch.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "proto/runtime/buffer/limits.h"
#include "proto/runtime/net/open.h"

namespace sluice {
namespace {

constexpr std::size_t kCacheLine = 64;
// No multiple of a page: first bytes of buffers that lie a page apart would share cache sets.
constexpr std::size_t kBufferBytes =
    (kHeadroom + kMaxDatagram + kTailroom + kCacheLine - 1) / kCacheLine * kCacheLine;
static_assert(kBufferBytes % 4096 != 0);
// Original destination, packet info, traffic class and segment size; a dual-stack socket may report
// both forms.
constexpr std::size_t kControlBytes = 192;

/// The value of a control message of one byte or of an int.
int small_value(const cmsghdr& c) noexcept {
  if (c.cmsg_len < CMSG_LEN(sizeof(int))) return *CMSG_DATA(&c);
  int value = 0;
  std::memcpy(&value, CMSG_DATA(&c), sizeof value);
  return value;
}

/// What the control messages of one datagram say.
struct Reported {
  Endpoint original;
  Endpoint packet_info;
  std::optional<std::uint8_t> dscp;
  std::size_t segment = 0;  ///< size of merged datagrams; 0: it is one
};

Reported reported_by(const msghdr& header) noexcept {
  Reported out;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&header), c)) {
    if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_ORIGDSTADDR) ||
        (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_ORIGDSTADDR)) {
      sockaddr_storage raw{};
      std::memcpy(&raw, CMSG_DATA(c), std::min(sizeof raw, c->cmsg_len - CMSG_LEN(0)));
      out.original = Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&raw));
    } else if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_TOS) ||
               (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_TCLASS)) {
      out.dscp = dscp_of(small_value(*c));
    } else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
      out.segment = static_cast<std::size_t>(std::max(small_value(*c), 0));
    } else if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      out.packet_info.ip = IpAddress::v4(ntohl(info.ipi_addr.s_addr));
    } else if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      out.packet_info.ip = IpAddress::from_bytes(std::as_bytes(std::span(info.ipi6_addr.s6_addr)));
    }
  }
  return out;
}

}  // namespace

struct DatagramBatch::Impl {
  std::byte* memory = nullptr;
  std::array<mmsghdr, kDatagramBatch> headers{};
  std::array<iovec, kDatagramBatch> parts{};
  std::array<sockaddr_in6, kDatagramBatch> names{};  // holds an IPv4 one as well
  struct alignas(cmsghdr) Control {
    std::array<std::byte, kControlBytes> bytes;
  };
  std::array<Control, kDatagramBatch> controls{};
  std::array<Packet, kSendBatch> packets{};
  std::size_t received = 0;  // messages of the last call
  // Of the message that is being split: its number, what is left of it, and what all of its parts
  // have in common.
  std::size_t at = 0;
  std::size_t offset = 0;
  std::size_t segment = 0;
  Packet common{};

  void begin_message() noexcept;
  Packet next_part() noexcept;
};

DatagramBatch::DatagramBatch() : impl_(std::make_unique<Impl>()) {
  void* memory = ::mmap(nullptr, kBufferBytes * kDatagramBatch, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  impl_->memory = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < kDatagramBatch; ++i) {
    impl_->parts[i] = {impl_->memory + i * kBufferBytes + kHeadroom, kMaxDatagram};
    msghdr& h = impl_->headers[i].msg_hdr;
    h.msg_name = &impl_->names[i];
    h.msg_namelen = sizeof impl_->names[i];
    h.msg_iov = &impl_->parts[i];
    h.msg_iovlen = 1;
    h.msg_control = &impl_->controls[i];
    h.msg_controllen = kControlBytes;
  }
}

DatagramBatch::~DatagramBatch() {
  ::munmap(impl_->memory, kBufferBytes * kDatagramBatch);
}

void DatagramBatch::trim() noexcept {
  ::madvise(impl_->memory, kBufferBytes * kDatagramBatch, MADV_DONTNEED);
}

bool DatagramBatch::filled() const noexcept {
  return impl_->received == kDatagramBatch;
}

Result<std::span<Packet>> DatagramBatch::receive(int fd) noexcept {
  // The kernel wrote to those that it used last time.
  for (std::size_t i = 0; i < impl_->received; ++i) {
    msghdr& h = impl_->headers[i].msg_hdr;
    h.msg_namelen = sizeof impl_->names[i];
    h.msg_controllen = kControlBytes;
  }
  impl_->received = impl_->at = impl_->offset = 0;
  const int count = ::recvmmsg(fd, impl_->headers.data(), kDatagramBatch, MSG_DONTWAIT, nullptr);
  if (count < 0) return fail_errno(errno);
  impl_->received = static_cast<std::size_t>(count);
  return rest();
}

void DatagramBatch::Impl::begin_message() noexcept {
  const mmsghdr& m = headers[at];
  const Reported reported = reported_by(m.msg_hdr);
  common.from = m.msg_hdr.msg_namelen == 0
                    ? Endpoint{}
                    : Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&names[at]));
  common.to = reported.original.ip.valid() ? reported.original : reported.packet_info;
  common.dscp = reported.dscp;
  common.truncated = (m.msg_hdr.msg_flags & MSG_TRUNC) != 0;
  segment = reported.segment == 0 ? m.msg_len : reported.segment;
}

Packet DatagramBatch::Impl::next_part() noexcept {
  if (offset == 0) begin_message();
  const std::size_t whole = headers[at].msg_len;
  Packet part = common;
  part.data = static_cast<std::byte*>(parts[at].iov_base) + offset;
  part.size = std::min(segment, whole - offset);
  part.headroom = offset == 0 ? kHeadroom : 0;
  offset += part.size;
  part.tailroom = offset == whole ? kBufferBytes - kHeadroom - whole : 0;
  if (offset == whole) {
    ++at;
    offset = 0;
  }
  return part;
}

std::span<Packet> DatagramBatch::rest() noexcept {
  std::size_t count = 0;
  while (count < kSendBatch && impl_->at < impl_->received)
    impl_->packets[count++] = impl_->next_part();
  return std::span(impl_->packets).first(count);
}

}  // namespace sluice
