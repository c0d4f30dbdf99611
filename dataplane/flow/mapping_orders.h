// flow/mapping_orders.h - the mappings of one worker in the order of their last use.
//
//   lasting  ─> a ─> b ─> c        a mapping is in one of these two, oldest first: the sweep ends
//   brief    ─> q ─> r             what is idle at the front, and so does a table that is full
//   of a client ─> q ─> b          and in its client's, for the budget of one client
//   stale    ─> c                  some session of it is over
//
// Owner: the NAT. Thread: its worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/flow/use_order.h"
#include "proto/common/address.h"

namespace sluice::flow {

class Association;

/// A mapping's place in an order beside the one it is itself a member of.
struct MappingPlace : UseOrder::Member {
  explicit MappingPlace(Association& of) noexcept : mapping(of) {}
  Association& mapping;
};

/// What a worker keeps of one client address while it has mappings.
struct MappingClient {
  IpAddress address;
  UseOrder mappings;  ///< of MappingPlace
  std::size_t count = 0;
};

struct MappingOrders {
  UseOrder lasting;  ///< of Association
  UseOrder brief;    ///< of Association: those that asked a few questions only
  UseOrder stale;    ///< of MappingPlace
};

/// Ports of question-and-answer services: one datagram there, one back. DNS (RFC 1035 section
/// 4.2.1), NTP (RFC 5905), DNS over DTLS or QUIC (RFC 8094, RFC 9250).
[[nodiscard]] constexpr bool is_question_port(std::uint16_t port) noexcept {
  return port == 53 || port == 123 || port == 853;
}

}  // namespace sluice::flow
