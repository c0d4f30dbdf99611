// kernel/neighbours.h - which hardware address is behind an IP address of a neighbour.
//
//   kernel ── dump, then RTM_NEWNEIGH ──> NeighbourSource ──> NeighbourBook ──> NeighbourTable
//                                          (netlink)           (home's copy)    (workers read it)
//
// An address keeps the hardware address that was heard last, also when the kernel drops its own
// entry: it does so for devices that are merely silent, and the first datagram of such a device
// comes before the kernel learns it anew. Another device that takes the address over is heard
// before it can send.
//
// Thread: source and book belong to home; a table is immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dataplane/kernel/netlink.h"
#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::kernel {

/// `mac`: 48 bits, the first byte on the wire is the highest; 0 = none.
struct Neighbour {
  IpAddress ip;
  std::uint64_t mac = 0;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};
static_assert(sizeof(Neighbour) <= 32);  // kMaxNeighbours counts on it

/// The kernel's neighbour tables, IPv4 and IPv6.
class NeighbourSource {
 public:
  /// Listens for news from now on. Errors: system.
  [[nodiscard]] static Result<NeighbourSource> open();

  [[nodiscard]] int fd() const noexcept;
  /// Appends everything that the kernel knows now. Errors: system.
  [[nodiscard]] Status dump(std::vector<Neighbour>& out) const;
  /// Appends all news, oldest first. False when news were lost: dump again.
  [[nodiscard]] bool drain(std::vector<Neighbour>& out) const;

 private:
  explicit NeighbourSource(NetlinkSocket socket) noexcept : socket_(std::move(socket)) {}
  NetlinkSocket socket_;
};

/// One Neighbour an address, binary search.
class NeighbourTable {
 public:
  /// No address twice.
  explicit NeighbourTable(std::vector<Neighbour> neighbours);
  /// 0 when it is not known.
  [[nodiscard]] std::uint64_t mac_of(const IpAddress& ip) const noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return sorted_.size(); }

 private:
  std::vector<Neighbour> sorted_;
};

/// Bounded by kMaxNeighbours: the one that was heard longest ago goes first.
class NeighbourBook {
 public:
  /// True when it changed what the table says.
  bool learn(const Neighbour& heard);
  [[nodiscard]] std::shared_ptr<const NeighbourTable> table() const;

 private:
  struct Entry {
    std::uint64_t mac = 0;
    std::uint64_t heard = 0;  ///< value of `clock_` then
  };
  void forget_oldest();

  std::unordered_map<IpAddress, Entry, IpAddressHash> by_address_;
  std::uint64_t clock_ = 0;
};

}  // namespace sluice::kernel
