// ruleset/match.h - the lines that match one flow, in order, found through the merged indexes.
//
//   heads:  names 17   keywords >= 4   dst v4 none   ports 30   always 99        resolve 21
//   next(): the smallest head answers; one that is only a lower bound ("keywords >= 4": its first
//           line is 4, it has not been asked) is asked first. An index whose first line lies behind
//           the answer is never asked.
//
// The destination address has two states. Unknown: address lines cannot match, and the first line
// reached that asks for an address ends next() with needs_address. Known (given, or looked up
// once): all address lines from there on take part.
//
// Memory: about 230 bytes, no allocation. Thread: belongs to the flow that made it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/common/address.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

/// What a flow shows to the rules.
struct Key {
  std::string_view name;  ///< normal form, or empty; must outlive the Match
  IpAddress destination;  ///< invalid = not known
  IpAddress source;
  std::uint16_t destination_port = 0;
  std::uint16_t source_port = 0;
  Network network = Network::tcp;
  std::uint8_t in_type = 0;  ///< the value of contract::InboundType
};

/// Told about every index that was asked; for explain only.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `position` is the index's first matching line at or after `from`; kNone when there is none.
  virtual void asked(Index index, std::uint32_t from, std::uint32_t position,
                     std::uint64_t ns) noexcept = 0;
};

class Match {
 public:
  enum class Outcome : std::uint8_t { line, needs_address, end };
  struct Step {
    Outcome outcome = Outcome::end;
    std::uint32_t position = kNone;  ///< of the line, or of the line that needs the address
    Index index = Index::always;     ///< which one answered; only for `line`
  };

  /// `view` and what it views must outlive the Match.
  Match(const View& view, const Key& key, Observer* observer = nullptr) noexcept;

  /// The next matching line after the last one. After needs_address the caller sets the address
  /// and asks again; if it does not, the look-up counts as failed.
  Step next() noexcept;
  /// The result of the look-up; an invalid address = it failed. No effect unless next() asked.
  void set_address(const IpAddress& address) noexcept;

 private:
  enum class Address : std::uint8_t { unknown, asked, settled };

  void open_destination() noexcept;
  [[nodiscard]] std::uint32_t ask(Index index) noexcept;
  [[nodiscard]] std::uint32_t ask_observed(Index index) noexcept;
  [[nodiscard]] std::uint32_t ask_prefixes(Index index) noexcept;

  const View* view_;
  Observer* observer_;
  Key key_;
  std::uint32_t from_ = 0;         // positions below are done
  std::uint32_t resolve_ = kNone;  // first line that would ask for an address
  std::uint16_t exact_ = 0;        // bit per index: its head is a line, not a lower bound
  std::uint16_t found_ = 0;        // bit per index: its node is known
  Address address_ = Address::unknown;
  bool name_whole_ = false;
  std::array<std::uint32_t, kIndexCount> heads_{};
  std::array<std::uint32_t, kIndexCount> nodes_{};
};

}  // namespace sluice::ruleset
