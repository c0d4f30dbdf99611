// helper/transaction.h - one nft batch: built in a fixed buffer, committed whole or not at all.
//
// Every message has a label, so that a refusal names the thing the kernel refused. Building never
// fails halfway: the first shortage sticks and commit() reports it. Thread: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/helper/nft_socket.h"
#include "dataplane/helper/rule.h"
#include "proto/common/address.h"
#include "proto/common/cursor.h"

namespace sluice::nft {

/// Types of set keys and data as `nft` numbers and prints them; the kernel only stores them.
enum class KeyType : std::uint32_t {
  integer = 4,
  ipv4_address = 7,
  ipv6_address = 8,
  protocol = 12,
  port = 13,
  uid = 24,
  address_type = 38,
  device = 41,
};

/// A base chain's hook, or none for a chain that rules jump to.
struct Hook {
  const char* type = nullptr;  ///< "filter", "nat", "route"; nullptr: not a base chain
  std::uint32_t number = 0;    ///< NF_INET_*
  std::int32_t priority = 0;
};

/// What became of a batch.
struct Outcome {
  int error = 0;      ///< errno; 0 = committed
  std::string where;  ///< label of the refused message; empty when committed
};

class Transaction {
 public:
  /// `room` (kBatchBytes) stays the caller's and outlives this object.
  explicit Transaction(ByteSpan room);

  void add_table(const char* table, bool owned);
  void delete_table(const char* table);
  void add_chain(const char* table, const char* chain, Hook hook = {});
  void flush_chain(const char* table, const char* chain);
  /// A named set of prefixes (interval set) or addresses (hash set); existing ones keep their
  /// elements.
  SetRef add_prefix_set(const char* table, const char* name, Family family);
  SetRef add_address_set(const char* table, const char* name, Family family);
  /// An anonymous set: it lives as long as the rule that looks it up. `keys` must not be empty.
  SetRef add_constant_set(const char* table, KeyType type, std::span<const std::uint32_t> keys);
  SetRef add_protocol_set(const char* table, std::span<const std::uint8_t> protocols);
  SetRef add_device_set(const char* table, std::span<const std::string> names);
  SetRef add_constant_prefix_set(const char* table, Family family,
                                 std::span<const Prefix> prefixes);
  /// Anonymous map from 0..n-1 to the ports.
  SetRef add_port_map(const char* table, std::span<const std::uint16_t> ports);
  /// Adds to or removes from a named prefix set those prefixes that are of `family`.
  void change_prefixes(const char* table, const SetRef& set, Family family,
                       std::span<const Prefix> prefixes, bool remove);
  /// Adds to or removes from a named address set; every prefix is a single address.
  void change_addresses(const char* table, const SetRef& set, Family family,
                        std::span<const Prefix> addresses, bool remove);
  void add_rule(const Rule& rule);

  /// Sends the batch. ENOBUFS when it did not fit the room.
  [[nodiscard]] Outcome commit(NftSocket& socket);

 private:
  friend class ElementMessages;
  /// Starts a message, or nullptr when the room is too small for any.
  nlmsghdr* begin(std::uint16_t type, std::uint16_t flags, const char* label);
  void end(const nlmsghdr* message) noexcept;
  SetRef new_set(const char* table, const char* name, KeyType type, std::uint32_t key_bytes,
                 std::uint32_t flags, bool is_port_map = false);

  ByteSpan room_;
  std::size_t used_ = 0;
  std::uint32_t next_set_ = 1;
  bool short_ = false;
  std::vector<const char*> labels_;  // by sequence number; 0 is the batch itself
  nlmsghdr* last_ = nullptr;
};

}  // namespace sluice::nft
