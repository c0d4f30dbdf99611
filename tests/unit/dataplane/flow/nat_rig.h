// The NAT of one worker with real UDP sockets around it, for tests.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/flow/nat.h"
#include "proto/runtime/buffer/limits.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {

inline const Endpoint kClient{IpAddress::v4(0xc0000201), 4000};

/// Keeps what comes back for clients.
class Replies final : public ClientSide {
 public:
  struct One {
    Endpoint client;
    Endpoint from;
    std::string text;
  };
  void reply(const Endpoint& client, std::span<Packet> packets) noexcept override {
    for (const Packet& p : packets)
      all.push_back({client, p.from, std::string(as_text(p.bytes()))});
  }
  void unreachable(const Endpoint& client, const Endpoint& to, Unreachable why) noexcept override {
    errors.push_back({client, to, why});
  }
  struct Lost {
    Endpoint client;
    Endpoint to;
    Unreachable why;
  };
  std::vector<One> all;
  std::vector<Lost> errors;
};

/// A peer on 127.0.0.1.
class Peer {
 public:
  Peer() : fd_(std::move(*bind_udp({kLoopback, 0}))), at(local_endpoint(fd_.get())) {}
  struct Got {
    std::string text;
    Endpoint from;
  };
  std::optional<Got> receive(int patience_ms = 1000) {
    pollfd waiting{fd_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) != 1) return std::nullopt;
    std::string text(70000, '\0');
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    const ssize_t n = ::recvfrom(fd_.get(), text.data(), text.size(), 0,
                                 reinterpret_cast<sockaddr*>(&raw), &size);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return Got{text, Endpoint::from_sockaddr(reinterpret_cast<sockaddr*>(&raw))};
  }
  void send(const Endpoint& to, std::string_view text) {
    const OutDatagram out{as_byte_view(text), to, {}};
    send_batch(fd_.get(), {&out, 1}, false);
  }

 private:
  UniqueFd fd_;

 public:
  Endpoint at;
};

class NatTest : public EngineRig {
 protected:
  void TearDown() override {
    worker->loop().end_roots();
    engine->nat().forget(replies, {contract::CloseReason::stopped, "end"});
    EngineRig::TearDown();
  }

  void forward(const Endpoint& to, std::string_view text, Endpoint client = kClient) {
    std::array<std::byte, 70400> room{};
    std::memcpy(room.data() + kHeadroom, text.data(), text.size());
    Packet packet{.data = room.data() + kHeadroom,
                  .size = text.size(),
                  .headroom = kHeadroom,
                  .tailroom = room.size() - kHeadroom - text.size()};
    Request facts;
    facts.network = Network::udp;
    facts.inbound_type = contract::InboundType::tproxy;
    facts.source = client;
    Destination destination;
    destination.ip = to.ip;
    destination.port = to.port;
    engine->nat().forward(replies, facts, destination, packet);
    engine->nat().flush();
  }
  /// The order of use is exact to one turn of the loop.
  void wait_a_moment(Millis span = 1_ms) {
    const Moment until = worker->loop().now() + span;
    while (worker->loop().now() < until) worker->loop().run_once(5_ms);
  }
  /// Fake addresses and the names behind them.
  void bind_names(std::vector<contract::Binding> bindings) {
    auto batch = std::make_shared<contract::BindingBatch>();
    batch->add = std::move(bindings);
    engine->apply_bindings(batch);
    engine->names().set_reachable(true);
  }
  void answer(std::size_t query, const IpAddress& address) {
    contract::NameAnswer answer;
    answer.id = names.queries.at(query).id;
    answer.addresses = {address};
    answer.ttl_s = 60;
    engine->names().answer(answer);
  }

  Replies replies;
};

}  // namespace sluice::flow
