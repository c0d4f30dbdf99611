// contract/flow_info.h - one flow as the CLI, the dashboards and the statistics see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/name.h"
#include "proto/contract/close_reason.h"

namespace sluice::contract {

enum class DnsMode : std::uint8_t { normal, fake_ip, mapping, hosts };
enum class FlowState : std::uint8_t { connecting, open, half_closed, closed };

/// The name a user sees for the way in; dashboards switch on it.
enum class InboundType : std::uint8_t { http, https, socks4, socks5, redir, tproxy, inner };

struct FlowInfo {
  std::uint64_t id = 0;  ///< unique within one life of the data plane
  Network network = Network::tcp;
  InboundType inbound_type = InboundType::socks5;
  std::string inbound_name;
  std::string user;
  Endpoint source;
  Endpoint inbound;         ///< where the client came in
  Destination destination;  ///< what the client asked for; the name restored from a fake address
  std::string sniff_host;   ///< that its first bytes name, where it counted; else empty
  std::string remote;       ///< "ip:port" or "name:port" that the outbound dialled; empty before
  DnsMode dns_mode = DnsMode::normal;
  std::int32_t rule_index = -1;  ///< RuleLine::number; -1: no rule (mode, listener, no match)
  std::string rule;
  std::string rule_payload;
  std::string rule_list;               ///< RuleLine::list
  std::vector<std::string> chains;     ///< leaf first
  std::uint64_t upload = 0;            ///< bytes from the client
  std::uint64_t download = 0;          ///< bytes to the client
  std::uint64_t upload_packets = 0;    ///< datagrams from the client; of TCP none are seen: 0
  std::uint64_t download_packets = 0;  ///< datagrams to the client
  std::int64_t start_wall_ms = 0;
  FlowState state = FlowState::connecting;
  CloseReason close = CloseReason::none;  ///< set when closed
  std::string close_reason;               ///< the same as a sentence, with its particulars
};

}  // namespace sluice::contract
