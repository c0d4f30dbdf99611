// A Dns on loopback with real sockets: scripted servers, clients, and a sink that acknowledges when
// the test says so. Everything runs on the test's thread; ports come from the kernel.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/dns/dns.h"
#include "controlplane/dns/message/answer.h"
#include "controlplane/dns/message/query.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/controlplane/dns/wire.h"

namespace sluice::dns::test {

inline Endpoint loopback(std::uint16_t port = 0) {
  return {IpAddress::v4(0x7f000001), port};
}

/// The reply to `query` with `records` behind the question; id 0 bytes are filled in.
inline Bytes reply_to(ByteView query, unsigned flags, std::initializer_list<unsigned> counts,
                      const Bytes& records) {
  std::size_t at = kHeaderSize;
  (void)read_question(query, at);
  Bytes out(query.begin(), query.begin() + 2);
  put16(out, flags);
  put16(out, 1);
  for (const unsigned count : counts) put16(out, count);
  out.insert(out.end(), query.begin() + 12, query.begin() + static_cast<std::ptrdiff_t>(at));
  append(out, records);
  return out;
}
inline Bytes a_reply(ByteView query, const char* hex_address, std::uint32_t ttl = 300) {
  return reply_to(query, Flags::kResponse, {1, 0, 0},
                  record(from_hex("c00c"), type::kA, ttl, from_hex(hex_address)));
}
inline Bytes code_reply(ByteView query, unsigned code) {
  return reply_to(query, Flags::kResponse | code, {0, 0, 0}, {});
}

/// The whole answer of a script.
inline std::vector<Bytes> one(Bytes reply) {
  std::vector<Bytes> out;
  out.push_back(std::move(reply));
  return out;
}

/// A server of the test: UDP and TCP on one port, answers what `script` says.
class TestServer {
 public:
  /// Datagrams (or frames) to send for a query; none = silence.
  using Script = std::function<std::vector<Bytes>(ByteView query, bool tcp)>;

  explicit TestServer(Script script) : script_(std::move(script)) {
    // The port that UDP was given may be another program's for TCP.
    for (int i = 0; i < 100 && !tcp_.valid(); ++i) {
      udp_ = std::move(*bind_udp(loopback()));
      if (auto tcp = listen_tcp(loopback(port()))) tcp_ = std::move(*tcp);
    }
  }
  [[nodiscard]] std::uint16_t port() const { return local_endpoint(udp_.get()).port; }
  [[nodiscard]] model::DnsServer as_server() const {
    return {model::DnsTransport::udp, "127.0.0.1", port()};
  }
  int udp_count = 0;
  int tcp_count = 0;

  void pump() {
    std::array<std::byte, 4096> buffer;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    for (ssize_t n; (n = ::recvfrom(udp_.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &size)) > 0;) {
      ++udp_count;
      for (const Bytes& out : script_(std::span(buffer).first(static_cast<std::size_t>(n)), false))
        ::sendto(udp_.get(), out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
    Endpoint peer;
    if (auto fd = accept_one(tcp_.get(), peer)) clients_.push_back(std::move(*fd));
    for (const UniqueFd& fd : clients_) {
      const ssize_t n = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
      if (n <= 2) continue;
      ++tcp_count;
      for (const Bytes& out :
           script_(std::span(buffer).subspan(2, static_cast<std::size_t>(n) - 2), true)) {
        Bytes frame;
        put16(frame, static_cast<unsigned>(out.size()));
        append(frame, out);
        ::send(fd.get(), frame.data(), frame.size(), MSG_NOSIGNAL);
      }
    }
  }

 private:
  Script script_;
  UniqueFd udp_;
  UniqueFd tcp_;
  std::vector<UniqueFd> clients_;
};

/// Keeps changes until the test acknowledges them.
class TestSink final : public BindingSink {
 public:
  void bind(BindingChange change, Done done) override {
    changes.push_back(std::move(change));
    dones.push_back(std::move(done));
    if (automatic) pending_automatic = true;
  }
  void acknowledge(Status outcome = {}) {
    const Done done = std::move(dones.front());
    dones.erase(dones.begin());
    done(outcome);
  }
  std::vector<BindingChange> changes;
  std::vector<Done> dones;
  bool automatic = false;
  bool pending_automatic = false;
};

struct Reply {
  Header header;
  std::vector<Record> records;
  Bytes bytes;
  [[nodiscard]] std::string address(std::size_t index = 0) const {
    return index < records.size() ? IpAddress::from_bytes(records[index].data).to_string() : "none";
  }
};

inline std::optional<Reply> parse_reply(Bytes bytes) {
  Reply out;
  out.bytes = std::move(bytes);
  const auto header = decode_header(out.bytes);
  if (!header) return std::nullopt;
  out.header = *header;
  std::size_t at = kHeaderSize;
  if (header->questions == 1 && !read_question(out.bytes, at)) return std::nullopt;
  RecordWalker walker(out.bytes, *header, at);
  Record record;
  for (;;) {
    const auto more = walker.next(record);
    if (!more) return std::nullopt;
    if (!*more) return out;
    out.records.push_back(record);
  }
}

class Bench {
 public:
  Bench() : loop(std::move(*Loop::make())), dns(std::make_unique<Dns>(*loop, sink)) {
    options.dns.enable = true;
    options.dns.listen = loopback();
    client_ = std::move(*bind_udp(loopback()));
  }

  TestServer& add_server(TestServer::Script script) {
    servers_.push_back(std::make_unique<TestServer>(std::move(script)));
    options.dns.nameserver.push_back(servers_.back()->as_server());
    return *servers_.back();
  }
  void start(bool data_plane = true) {
    ASSERT_TRUE(dns->apply(options).empty());
    if (data_plane) dns->data_plane_ready();
  }
  /// Turns of the loop and of the servers until `ready` or 8 s.
  bool until(const std::function<bool()>& ready) {
    const Moment deadline = monotonic_now() + Millis{8'000};
    while (!ready()) {
      if (monotonic_now() > deadline) return false;
      turn();
    }
    return true;
  }
  void turn() {
    loop->run_once(Millis{2});
    for (const auto& server : servers_) server->pump();
    if (sink.pending_automatic) {
      sink.pending_automatic = false;
      while (!sink.dones.empty()) sink.acknowledge();
    }
  }
  void turns(int count) {
    while (count-- > 0) turn();
  }
  void send(const Bytes& packet) {
    sockaddr_storage raw{};
    const socklen_t size = dns->listen_address()->to_sockaddr(raw);
    ASSERT_EQ(::sendto(client_.get(), packet.data(), packet.size(), 0,
                       reinterpret_cast<const sockaddr*>(&raw), size),
              static_cast<ssize_t>(packet.size()));
  }
  std::optional<Reply> receive_now() {
    Bytes buffer(65535);
    const ssize_t n = ::recv(client_.get(), buffer.data(), buffer.size(), 0);
    if (n < 0) return std::nullopt;
    buffer.resize(static_cast<std::size_t>(n));
    return parse_reply(std::move(buffer));
  }
  std::optional<Reply> receive() {
    std::optional<Reply> out;
    until([&] { return (out = receive_now()).has_value(); });
    return out;
  }
  Reply ask(std::string_view name, std::uint16_t kind = type::kA) {
    send(message(++id_, Flags::kQuery, name, kind));
    auto reply = receive();
    EXPECT_TRUE(reply) << name;
    if (!reply) return {};
    EXPECT_EQ(reply->header.id, id_);
    EXPECT_TRUE(reply->header.response && reply->header.recursion_available &&
                reply->header.recursion_desired);
    return std::move(*reply);
  }
  contract::NameAnswer resolve(contract::NameQuery query) {
    std::optional<contract::NameAnswer> out;
    dns->resolve(std::move(query), [&](contract::NameAnswer answer) { out = std::move(answer); });
    EXPECT_TRUE(until([&] { return out.has_value(); }));
    return out.value_or(contract::NameAnswer{});
  }

  std::unique_ptr<Loop> loop;
  TestSink sink;
  std::unique_ptr<Dns> dns;
  DnsOptions options;

 private:
  std::vector<std::unique_ptr<TestServer>> servers_;
  UniqueFd client_;
  std::uint16_t id_ = 0x100;
};

}  // namespace sluice::dns::test
