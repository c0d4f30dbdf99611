#include "proto/runtime/net/datagram_batch.h"

#include <netinet/in.h>
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

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBufferBytes =
    (kHeadroom + kMaxDatagram + kTailroom + kPage - 1) / kPage * kPage;
// Original destination, packet info and traffic class; a dual-stack socket may report both forms.
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
  std::array<sockaddr_storage, kDatagramBatch> names{};
  std::array<std::array<std::byte, kControlBytes>, kDatagramBatch> controls{};
  std::array<Packet, kDatagramBatch> packets{};
};

DatagramBatch::DatagramBatch() : impl_(std::make_unique<Impl>()) {
  void* memory = ::mmap(nullptr, kBufferBytes * kDatagramBatch, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  impl_->memory = static_cast<std::byte*>(memory);
}

DatagramBatch::~DatagramBatch() {
  ::munmap(impl_->memory, kBufferBytes * kDatagramBatch);
}

void DatagramBatch::trim() noexcept {
  ::madvise(impl_->memory, kBufferBytes * kDatagramBatch, MADV_DONTNEED);
}

Result<std::span<Packet>> DatagramBatch::receive(int fd) noexcept {
  for (std::size_t i = 0; i < kDatagramBatch; ++i) {
    impl_->parts[i] = {impl_->memory + i * kBufferBytes + kHeadroom, kMaxDatagram};
    msghdr& h = impl_->headers[i].msg_hdr;
    h = {};
    h.msg_name = &impl_->names[i];
    h.msg_namelen = sizeof impl_->names[i];
    h.msg_iov = &impl_->parts[i];
    h.msg_iovlen = 1;
    h.msg_control = impl_->controls[i].data();
    h.msg_controllen = kControlBytes;
  }
  const int count = ::recvmmsg(fd, impl_->headers.data(), kDatagramBatch, MSG_DONTWAIT, nullptr);
  if (count < 0) return fail_errno(errno);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const mmsghdr& m = impl_->headers[i];
    Packet& p = impl_->packets[i];
    p.data = static_cast<std::byte*>(impl_->parts[i].iov_base);
    p.size = m.msg_len;
    p.headroom = kHeadroom;
    p.tailroom = kBufferBytes - kHeadroom - m.msg_len;
    p.from = m.msg_hdr.msg_namelen == 0
                 ? Endpoint{}
                 : Endpoint::from_sockaddr(reinterpret_cast<sockaddr*>(&impl_->names[i]));
    const Reported reported = reported_by(m.msg_hdr);
    p.to = reported.original.ip.valid() ? reported.original : reported.packet_info;
    p.dscp = reported.dscp;
    p.truncated = (m.msg_hdr.msg_flags & MSG_TRUNC) != 0;
  }
  return std::span(impl_->packets).first(static_cast<std::size_t>(count));
}

namespace {

/// Fills the source-address control message; returns its length.
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

struct SendBatch {
  std::array<mmsghdr, kDatagramBatch> headers{};
  std::array<iovec, kDatagramBatch> parts{};
  std::array<sockaddr_storage, kDatagramBatch> names{};
  alignas(cmsghdr) std::array<std::array<std::byte, 64>, kDatagramBatch> controls{};

  void fill(std::span<const OutDatagram> batch, bool as_v6) noexcept {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const OutDatagram& d = batch[i];
      parts[i] = {const_cast<std::byte*>(d.bytes.data()), d.bytes.size()};
      msghdr& h = headers[i].msg_hdr;
      h = {};
      h.msg_iov = &parts[i];
      h.msg_iovlen = 1;
      h.msg_namelen = d.to.to_sockaddr(names[i], as_v6);
      h.msg_name = h.msg_namelen != 0 ? &names[i] : nullptr;
      if (!d.source.valid()) continue;
      h.msg_controllen = put_source(controls[i], d.source, as_v6);
      h.msg_control = controls[i].data();
    }
  }
};

}  // namespace

std::size_t send_batch(int fd, std::span<const OutDatagram> batch, bool as_v6) noexcept {
  SendBatch scratch;
  std::size_t done = 0;
  while (done < batch.size()) {
    const auto part = batch.subspan(done, std::min(batch.size() - done, kDatagramBatch));
    scratch.fill(part, as_v6);
    const int sent = ::sendmmsg(fd, scratch.headers.data(), static_cast<unsigned>(part.size()),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      done += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == ENOBUFS) {
      break;
    } else if (errno != EINTR) {
      ++done;
    }
  }
  return done;
}

}  // namespace sluice
