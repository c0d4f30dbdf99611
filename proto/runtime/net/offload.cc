#include "proto/runtime/net/offload.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "proto/common/unique_fd.h"

namespace sluice {
namespace {

bool probe() noexcept {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int off = 0;
  return fd.valid() && ::setsockopt(fd.get(), IPPROTO_UDP, UDP_SEGMENT, &off, sizeof off) == 0;
}

}  // namespace

bool can_segment() noexcept {
  static const bool can = probe();
  return can;
}

void ask_for_merged(int fd) noexcept {
  const int on = 1;
  (void)::setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
}

}  // namespace sluice
