// Both ends of a relayed stream, in the test's hands: non-blocking, moved on by step().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dataplane/protocol/shadowsocks/record.h"
#include "proto/common/unique_fd.h"
#include "tests/unit/dataplane/flow/pair.h"

namespace sluice::flow {

/// Bytes that differ from place to place, so that a lost or doubled one shows.
[[nodiscard]] std::string pattern(std::size_t size, std::uint32_t seed);
/// A blocking connect over loopback; what the kernel's backlog takes.
[[nodiscard]] UniqueFd connect_client(const Endpoint& to);

/// A SOCKS5 client: asks for `target`, sends `upload`, ends its stream, reads to the end.
class StreamClient {
 public:
  StreamClient(const Endpoint& proxy, const Endpoint& target, const std::string& upload)
      : fd_(connect_client(proxy)), target_(target), upload_(upload) {}
  void step();
  /// Nothing more will come.
  [[nodiscard]] bool over() const noexcept { return got_.ended || got_.reset; }
  [[nodiscard]] const std::string& received() const noexcept { return got_.text; }

 private:
  enum class Stage : std::uint8_t { greeting, method, reply, open, refused };
  bool take_head(std::size_t size);
  void send_upload();

  UniqueFd fd_;
  Endpoint target_;
  const std::string& upload_;
  std::size_t sent_ = 0;
  Stage stage_ = Stage::greeting;
  Got got_;
};

/// A server for one connection, plain or Shadowsocks: reads to the end, sends `answer`, ends.
class StreamServer {
 public:
  /// `key`: speaks Shadowsocks; must outlive this.
  explicit StreamServer(std::string answer, const shadowsocks::Key* key = nullptr);
  void step();
  [[nodiscard]] Endpoint at() const { return local_endpoint(listener_.get()); }
  [[nodiscard]] bool over() const noexcept { return got_.ended || got_.reset; }
  /// What the client's application wrote.
  [[nodiscard]] const std::string& received() const noexcept { return plain_; }

 private:
  void open_records();

  UniqueFd listener_;
  UniqueFd fd_;
  MemoryBudget budget_{8U << 20U};
  SlicePool pool_{budget_};
  SliceQueue wire_;
  std::optional<shadowsocks::Opener> opener_;
  std::size_t head_ = 0;  ///< bytes of the address, still to be dropped
  std::string answer_;    ///< as it goes over the wire
  std::size_t sent_ = 0;
  Got got_;
  std::string plain_;
};

}  // namespace sluice::flow
