// ruleformats/mmdb.h - MaxMind databases: a binary tree of prefixes, and the records it leads to.
//
//   | search tree: node_count * two numbers of 24, 28 or 32 bits | 16 zero | data | ... metadata |
//   number < node_count: a node;  = node_count: nothing;  above: data at number - node_count - 16
//
// https://maxmind.github.io/MaxMind-DB, format 2.x. IPv4 addresses lie below ::/96 of an IPv6 tree;
// where the tree leads to that part again (::ffff:0:0/96, 2002::/16) is an alias and told once.
//
// By hand because libmaxminddb maps files into memory itself (a file that shrinks meanwhile ends
// the process) and has no walk over a whole tree. A view: the file outlives everything here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "controlplane/ruleformats/mmdb_value.h"
#include "controlplane/ruleformats/refusal.h"
#include "proto/common/address.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

class Mmdb {
 public:
  /// Finds and checks the metadata and the size of the tree.
  /// Errors: malformed (no metadata, or such that the file cannot hold), unsupported (version,
  /// record size), too_large (input size).
  static Outcome<Mmdb> open(ByteView file, std::size_t max_bytes);

  /// "GeoLite2-Country", "GeoLite2-ASN", "sing-geoip", "Meta-geoip0" ...
  [[nodiscard]] std::string_view type() const noexcept { return type_; }
  [[nodiscard]] std::uint32_t node_count() const noexcept { return node_count_; }
  [[nodiscard]] bool has_v6() const noexcept { return bits_ == 128; }
  [[nodiscard]] const MmdbData& data() const noexcept { return data_; }

  /// For reading the records of one walk over all prefixes.
  [[nodiscard]] MmdbBudget walk_budget() const noexcept;
  /// The record of an address; none when there is none, or what should be one is broken.
  [[nodiscard]] MmdbValue find(const IpAddress& address) const noexcept;

 private:
  friend class MmdbNetworks;

  bool read_metadata(const MmdbData& metadata);
  [[nodiscard]] std::uint32_t child(std::uint32_t node, bool right) const noexcept;
  /// Where IPv4 addresses start; node_count when nothing is known of them.
  [[nodiscard]] std::uint32_t v4_root() const noexcept;
  [[nodiscard]] std::uint64_t data_offset(std::uint32_t number) const noexcept;

  ByteView tree_;
  MmdbData data_;
  std::uint32_t node_count_ = 0;
  unsigned record_bits_ = 0;
  unsigned bits_ = 0;  ///< of the addresses: 32 or 128
  std::string_view type_;
};

/// Every prefix that leads to a record, in ascending order.
///
/// A broken tree can lead round in circles or to one part over and over. A walk therefore ends
/// after twice the steps that a tree of its size needs: failed() tells.
class MmdbNetworks {
 public:
  explicit MmdbNetworks(const Mmdb& mmdb) noexcept;

  /// False at the end, and when the tree is broken.
  bool next(Prefix& prefix, std::uint64_t& data_offset) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  struct Step {
    std::uint32_t number;
    std::uint8_t depth;
    bool right;  ///< the last bit on the way here
  };
  bool visit(const Step& step) noexcept;
  [[nodiscard]] bool is_alias(const Step& step) const noexcept;
  [[nodiscard]] Prefix prefix_here(unsigned depth) const noexcept;

  const Mmdb& mmdb_;
  std::uint32_t v4_root_;
  std::uint64_t steps_left_;
  std::array<std::byte, 16> path_{};
  std::array<Step, 130> stack_;
  std::size_t stack_size_ = 0;
  bool failed_ = false;
};

}  // namespace sluice::ruleformats
