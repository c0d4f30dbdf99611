// contract/status.h - what a data plane says about itself (Hello).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/contract/manifest.h"
#include "proto/contract/version.h"

namespace sluice::contract {

struct ListenerState {
  std::string name;
  ListenerKind kind = ListenerKind::mixed;
  std::string address;  ///< "127.0.0.1:7890"
  bool tcp = false;
  bool udp = false;
  std::string error;  ///< one sentence when it could not be opened
};

enum class CaptureState : std::uint8_t { off, on, failed };

/// What this kernel and these privileges can do.
struct Abilities {
  bool transparent = false;  ///< IP_TRANSPARENT and SO_MARK
  bool nft = false;          ///< the helper is there and the table loads
  bool gso = false;
  std::string missing;  ///< one sentence naming what is absent; empty when nothing is
};

/// The UDP NAT of all workers.
struct UdpState {
  std::uint64_t mappings = 0;  ///< now
  std::uint64_t evicted = 0;   ///< mappings that made room for others, since start
  std::uint64_t dropped = 0;   ///< datagrams, both ways, since start
  friend bool operator==(const UdpState&, const UdpState&) = default;
};

struct HelloReply {
  std::uint32_t version = kVersion;
  std::uint32_t oldest_version = kOldestVersion;
  std::string program;             ///< "sluice-dataplane 0.1.0"
  std::uint64_t epoch = 0;         ///< random per life
  std::uint64_t generation = 0;    ///< 0 = nothing applied yet
  std::vector<Digest> blobs;       ///< held
  std::uint64_t last_binding = 0;  ///< highest acknowledged batch number
  std::vector<ListenerState> listeners;
  CaptureState capture = CaptureState::off;
  std::string capture_error;
  Abilities abilities;
  std::int64_t start_wall_ms = 0;
  std::uint64_t open_flows = 0;
  std::uint64_t upload_total = 0;
  std::uint64_t download_total = 0;
  std::uint64_t memory_used = 0;  ///< bytes in pools
  std::uint64_t memory_bound = 0;
  UdpState udp;
};

struct LogRecord {
  std::int64_t wall_ms = 0;
  std::uint8_t level = 0;  ///< LogLevel
  std::string component;
  std::string text;
};

}  // namespace sluice::contract
