// route/trace.h - a decision told step by step, for `explain`: which index answered, which lines
// were tested and why they did not match, what was asked for and what came back, how long each step
// took.
//
//   not compared   the flow has no key for: users
//   names          from rule 0 on: rule 4 (DOMAIN-SUFFIX,test) is the first that may match  212 ns
//   condition      rule 4 (DOMAIN-SUFFIX,test) does not match: DST-PORT 80 does not hold     96 ns
//   resolve        rule 9 (GEOIP,CN) needs the address of a.test
//   resolve        the address is 192.0.2.1                                             1840211 ns
//   rule           rules 0 to 11 do not match
//   rule           rule 12 (MATCH) matches: Proxy                                            51 ns
//   group          Proxy uses hk-03
//
// A line of a sub-rule list is told as "sub-rule streaming, line 3". Steps of a long walk are told
// up to a bound and counted behind it; what decides is always told.
//
// Owner: the Matcher that is traced. Thread: its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dataplane/route/route.h"
#include "dataplane/route/snapshot.h"
#include "proto/common/name.h"
#include "proto/contract/explain.h"
#include "proto/ruleset/match.h"

namespace sluice::route {

/// Receives the steps of a decision; only `explain` has one, so its cost is of no matter.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void step(contract::ExplainStep step) = 0;
};

class Trace final : public ruleset::Observer {
 public:
  Trace(const Snapshot& snapshot, TraceSink& sink) noexcept : snapshot_(snapshot), sink_(sink) {}

  /// The listener or the mode decides; `why` is half a sentence.
  void skips_rules(std::string_view what, std::string_view why);
  /// The rules are walked from the start of `entry`; `absent` as of Match::absent().
  void begin(const Destination& destination, std::uint32_t absent, std::uint32_t entry);
  void asks(const ruleset::Match::Step& step, const Destination& destination);
  void told(std::span<const IpAddress> addresses, Errc why);
  void told(const Owner& owner);
  void told(contract::Protocol protocol);
  /// A line matched; `refused` says whether it takes the flow.
  void line(const ruleset::Slot& slot, Refused refused, std::uint64_t ns);
  /// The target's leaf is a REMATCH: `entry` is walked next.
  void again(const Route& route, std::uint32_t entry);
  void unmatched();
  void decided(const Route& route);

  void asked(ruleset::Index index, std::uint32_t from, std::uint32_t position,
             std::uint64_t ns) noexcept override;
  void tested(std::uint32_t position, ruleset::Truth truth, std::uint32_t leaf, bool held,
              std::uint64_t ns) noexcept override;
  void disabled(std::uint32_t line) noexcept override;

 private:
  void say(std::string_view what, std::string detail, std::uint64_t ns = 0);
  void mention(std::string_view what, std::string detail, std::uint64_t ns);
  void say_untold();
  void passed(std::uint32_t top);
  void groups(const Route& route);
  [[nodiscard]] std::string number(std::uint32_t index) const;
  [[nodiscard]] std::string range(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] std::string name(std::uint32_t index) const;
  [[nodiscard]] std::string list_name(std::uint32_t entry) const;
  void walk(std::uint32_t entry);

  const Snapshot& snapshot_;
  TraceSink& sink_;
  std::uint32_t end_ = 0;        // of the positions that are walked
  std::uint32_t next_line_ = 0;  // lines of the walked list below were ruled out or passed over
  std::uint64_t asked_at_ns_ = 0;
  bool walked_ = false;
  bool looked_up_ = false;  // the address of the destination
  bool address_known_ = false;
  std::size_t mentioned_ = 0;  // steps of those that a long walk has many of
  std::size_t untold_ = 0;
  std::uint64_t untold_ns_ = 0;
};

}  // namespace sluice::route
