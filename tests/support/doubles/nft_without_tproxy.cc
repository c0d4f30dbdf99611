// A double of sluice-nft on a kernel without nft_tproxy: every request is answered with ENOENT.
//
// Frames (SOCK_SEQPACKET on the descriptor after --fd, numbers big endian):
//   request  version(1) command(1) id(4) body
//   verdict  version(1) command(1) id(4) errno(4) size(2) text

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--fd") return 2;
  const int fd = std::atoi(argv[2]);
  constexpr std::string_view kText = "nft_tproxy";
  constexpr std::size_t kHeadBytes = 6;  // version, command, id: the verdict repeats them
  std::array<unsigned char, 65536> frame;
  while (::recv(fd, frame.data(), frame.size(), 0) >= static_cast<ssize_t>(kHeadBytes)) {
    const std::array<unsigned char, 6> tail = {0, 0, 0, ENOENT, 0, kText.size()};
    std::memcpy(frame.data() + kHeadBytes, tail.data(), tail.size());
    std::memcpy(frame.data() + kHeadBytes + tail.size(), kText.data(), kText.size());
    ::send(fd, frame.data(), kHeadBytes + tail.size() + kText.size(), MSG_NOSIGNAL);
  }
}
