#include "tests/unit/dataplane/flow/faults/peers.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

namespace sluice::flow {
namespace {

/// RFC 1928: ATYP 1, four bytes of address, two of port.
constexpr std::size_t kIpv4Address = 7;

std::string request_for(const Endpoint& to) {
  const std::uint32_t ip = to.ip.v4_value();
  std::string text("\x05\x01\x00\x01", 4);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) text += static_cast<char>(ip >> shift & 0xffU);
  text += static_cast<char>(to.port >> 8U);
  text += static_cast<char>(to.port & 0xffU);
  return text;
}

/// `text` as a Shadowsocks stream.
std::string sealed(const shadowsocks::Key& key, SlicePool& pool, std::string_view text) {
  const std::string salt = pattern(key.salt_size(), 77);
  auto sealer = shadowsocks::Sealer::make(key, as_byte_view(salt));
  EXPECT_TRUE(sealer);
  std::string wire;
  while (!text.empty()) {
    auto slice = Slice::make(pool);
    EXPECT_TRUE(slice);
    const std::string_view part = text.substr(0, 12'000);
    EXPECT_EQ(slice->append(as_byte_view(part)), part.size());
    EXPECT_TRUE(sealer->seal(*slice));
    wire += as_text(slice->data());
    text.remove_prefix(part.size());
  }
  return wire;
}

/// Sends more of `text` and ends the stream behind it.
void send_some(const UniqueFd& fd, std::string_view text, std::size_t& sent) {
  if (sent > text.size()) return;
  while (sent < text.size()) {
    const std::size_t n = put(fd, text.substr(sent));
    if (n == 0) return;
    sent += n;
  }
  ::shutdown(fd.get(), SHUT_WR);
  ++sent;
}

}  // namespace

std::string pattern(std::size_t size, std::uint32_t seed) {
  std::string out(size, '\0');
  std::uint32_t state = seed;
  for (char& c : out) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24U);
  }
  return out;
}

UniqueFd connect_client(const Endpoint& to) {
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&raw), size), 0);
  return fd;
}

bool StreamClient::take_head(std::size_t size) {
  if (got_.text.size() < size) return false;
  got_.text.erase(0, size);
  return true;
}

void StreamClient::step() {
  if (!over()) take(fd_, got_);
  switch (stage_) {
    case Stage::greeting:
      put(fd_, std::string_view("\x05\x01\x00", 3));
      stage_ = Stage::method;
      break;
    case Stage::method:
      if (!take_head(2)) break;
      put(fd_, request_for(target_));
      stage_ = Stage::reply;
      break;
    case Stage::reply:
      if (got_.text.size() < 10) break;
      stage_ = got_.text[1] == 0 ? Stage::open : Stage::refused;
      take_head(10);
      break;
    case Stage::open:
      send_some(fd_, upload_, sent_);
      break;
    case Stage::refused:
      break;
  }
}

StreamServer::StreamServer(std::string answer, const shadowsocks::Key* key)
    : listener_(std::move(*listen_tcp(*Endpoint::parse("127.0.0.1:0")))),
      answer_(std::move(answer)) {
  if (key == nullptr) return;
  opener_.emplace(*key, pool_);
  answer_ = sealed(*key, pool_, answer_);
  head_ = kIpv4Address;
}

void StreamServer::step() {
  if (!fd_.valid()) {
    Endpoint peer;
    if (auto fd = accept_one(listener_.get(), peer)) fd_ = std::move(*fd);
  }
  if (!fd_.valid()) return;
  if (!over()) take(fd_, got_);
  if (opener_) {
    open_records();
  } else {
    plain_ += got_.text;
    got_.text.clear();
  }
  send_some(fd_, answer_, sent_);
}

void StreamServer::open_records() {
  SliceQueue opened;
  for (std::string_view rest = got_.text; !rest.empty();) {
    const std::string_view part = rest.substr(0, 64 * 1024);
    ASSERT_TRUE(wire_.copy_in(pool_, as_byte_view(part)));
    ASSERT_TRUE(opener_->open(wire_, opened));
    rest.remove_prefix(part.size());
    while (!opened.empty()) {
      plain_ += as_text(opened.front());
      opened.pop_front();
    }
  }
  got_.text.clear();
  const std::size_t drop = std::min(head_, plain_.size());
  plain_.erase(0, drop);
  head_ -= drop;
}

}  // namespace sluice::flow
