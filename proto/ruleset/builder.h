// ruleset/builder.h - turns an ordered rule list into a block. Same calls in the same order give
// the same bytes, whatever the machine.
//
//   Builder b;
//   b.domain_suffix("example.test");              // line 0
//   b.destination(*Prefix::parse("10.0.0.0/8"), Resolve::yes);  // line 1
//   b.always();                                   // line 2
//   Result<std::vector<std::byte>> block = b.finish();
//
// Every call appends one line. Thread: one owner. Allocates; not for the packet path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/ruleset/prefix_index.h"

namespace sluice::ruleset {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< inclusive
};

/// Whether an address line asks for an address when none is known (`no-resolve` = no).
enum class Resolve : std::uint8_t { no, yes };

class Builder {
 public:
  /// Names in normal form; anything else makes a line that never matches.
  void domain(std::string_view name);
  void domain_suffix(std::string_view name);
  /// Any bytes; upper case matches as lower case. An empty keyword, or one with a byte that no
  /// name has, makes a line that never matches.
  void domain_keyword(std::string_view keyword);
  void destination(const Prefix& prefix, Resolve resolve);
  void source(const Prefix& prefix);
  /// Ranges may touch or overlap; none, or first > last, matches nothing.
  void destination_ports(std::span<const PortRange> ranges);
  void source_ports(std::span<const PortRange> ranges);
  void network(Network network);
  /// Values of contract::InboundType; any of them matches.
  void in_types(std::span<const std::uint8_t> types);
  void always();
  /// Keeps the count of lines right for a line that is known but cannot match.
  void never();

  [[nodiscard]] std::uint32_t line_count() const noexcept { return line_count_; }
  /// The block of all lines so far. Errors: too_large (kMaxLines, kMaxBlock_bytes).
  [[nodiscard]] Result<std::vector<std::byte>> finish() const;

  // What the sections are made of; shared with the section writers of this room.
  struct NameLine {
    std::string name;
    std::uint32_t position;
    bool exact;
  };
  struct KeywordLine {
    std::string keyword;
    std::uint32_t position;
  };
  template <class Key>
  struct PrefixLine {
    Key key;  ///< host bits are zero
    std::uint8_t length;
    std::uint32_t position;
  };

 private:
  void add_name(std::string_view name, bool exact);
  void add_address(const Prefix& prefix, Index v4, std::vector<PrefixLine<Key128>>& v6);
  void add_ports(std::span<const PortRange> ranges, Index index);
  std::vector<PrefixLine<std::uint32_t>>& small(Index index) {
    return small_[static_cast<std::size_t>(index)];
  }

  std::uint32_t line_count_ = 0;
  std::vector<NameLine> names_;
  std::vector<KeywordLine> keywords_;
  std::vector<PrefixLine<std::uint32_t>> small_[kIndexCount];
  std::vector<PrefixLine<Key128>> destination_v6_;
  std::vector<PrefixLine<Key128>> source_v6_;
  std::vector<std::uint32_t> resolve_;
};

}  // namespace sluice::ruleset
