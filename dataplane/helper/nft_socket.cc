#include "dataplane/helper/nft_socket.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace sluice::nft {

namespace {

constexpr int kOn = 1;
constexpr int kSocketBufferBytes = 1 << 20;

/// Keeps the first error of one datagram of answers.
void read_answers(const char* bytes, std::size_t size, Answer& answer) noexcept {
  int left = static_cast<int>(size);
  for (const auto* head = reinterpret_cast<const nlmsghdr*>(bytes); mnl_nlmsg_ok(head, left);
       head = mnl_nlmsg_next(head, &left)) {
    if (head->nlmsg_type != NLMSG_ERROR || answer.error != 0) continue;
    const auto* error = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(head));
    answer.error = -error->error;
    answer.sequence = head->nlmsg_seq;
  }
}

}  // namespace

Result<NftSocket> NftSocket::open() {
  NftSocket socket(mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC));
  if (!socket.socket_) return fail_errno(errno);
  if (mnl_socket_bind(socket.socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0) return fail_errno(errno);
  // Short answers; and buffers that hold a whole batch. Both are improvements only.
  (void)mnl_socket_setsockopt(socket.socket_.get(), NETLINK_CAP_ACK, const_cast<int*>(&kOn),
                              sizeof kOn);
  for (const int option : {SO_SNDBUFFORCE, SO_RCVBUFFORCE})
    (void)::setsockopt(socket.fd(), SOL_SOCKET, option, &kSocketBufferBytes,
                       sizeof kSocketBufferBytes);
  return socket;
}

Answer NftSocket::exchange(ByteView batch) {
  Answer answer;
  if (mnl_socket_sendto(socket_.get(), batch.data(), batch.size()) < 0) {
    answer.error = errno;
    return answer;
  }
  alignas(nlmsghdr) std::array<char, 8192> room{};
  for (;;) {
    const ssize_t got = ::recv(fd(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    // ENOBUFS: answers were lost, and only failures are answered in numbers.
    if (got < 0 && errno == ENOBUFS && answer.error == 0) answer.error = ENOBUFS;
    if (got <= 0) return answer;
    read_answers(room.data(), static_cast<std::size_t>(got), answer);
  }
}

}  // namespace sluice::nft
