// route/matcher.h - decides one flow against one snapshot, asking for an address only when a rule
// needs one.
//
//   Matcher m{snapshot, facts};
//   Matcher::Ask ask = m.run();
//   while (ask != Matcher::Ask::decided) {
//     if (ask == Matcher::Ask::needs_address) {
//       const auto answer = co_await names.resolve(facts.destination->name, NamePurpose::rule);
//       m.set_addresses(answer ? answer->addresses : std::span<const IpAddress>{});
//     } else if (ask == Matcher::Ask::needs_protocol) {
//       m.set_protocol(co_await first_bytes.look());
//     } else {
//       m.set_owner(co_await owners.find(facts, m.needs_process()));
//     }
//     ask = m.run();
//   }
//   const Route& route = m.route();
//
// Order: the listener's outbound, then the mode (direct, global), then the rules (the listener's
// list if it has one) from the top, first match wins; nothing matched is DIRECT. A line goes on to
// the next one of the list when it is disabled, when its target is PASS (also behind a group), or
// when the flow is UDP and the target's leaf carries none. Of a line inside a SUB-RULE this is the
// line behind the SUB-RULE, but with PASS-RULE as target the next one inside.
//
// REMATCH. A target of this kind (also behind a group) starts anew: from the list that it names,
// else from the one that is walked, with another REMATCH-NAME if it names one. What is known of the
// flow stays known. A list that ends so without a match ends the decision: DIRECT. A flow takes
// each REMATCH once; one that is led back to it is refused there.
//
// Addresses. One that the destination already has is tested without a look-up. Otherwise the first
// *reached* destination-address line without `no-resolve` asks, once per flow; it and all later
// address lines, also those with `no-resolve`, see the answer; earlier ones stay unmatched.
// Of several addresses the first one counts.
//
// Owners. Lines by user id or process ask for the owner of a flow that this machine started, first
// for the user id alone, and for the process only when a line hangs on it.
//
// Protocols. Lines by what the client speaks ask for it once, where somebody can look at its first
// bytes; the name that those hold changes nothing any more.
//
// Memory: no allocation (patterns.h says what RE2 keeps), about 900 bytes. Thread: stays where it
// was made; the snapshot must be pinned for as long as the Matcher lives.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/route/route.h"
#include "dataplane/route/snapshot.h"
#include "dataplane/route/trace.h"
#include "proto/ruleset/match.h"

namespace sluice::route {

class Matcher {
 public:
  enum class Ask : std::uint8_t { decided, needs_address, needs_owner, needs_protocol };

  /// `facts` is copied; what it points to, `snapshot` and `trace` must outlive the Matcher.
  /// With a `trace` the steps are recorded and no hit is counted.
  Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace = nullptr) noexcept;
  Matcher(const Matcher&) = delete;  // the walk over the rules points back here
  Matcher& operator=(const Matcher&) = delete;

  /// Goes on until decided or until a fact is needed: at most one address, one
  /// protocol and two owners per flow.
  /// Calling it again without the answer takes the look-up as failed.
  Ask run() noexcept;
  /// The look-up's result, best first. Empty = it failed: all later address lines fail too.
  /// `why`: what kept addresses away, if there are none.
  void set_addresses(std::span<const IpAddress> addresses, Errc why = Errc::no_address) noexcept;
  /// With needs_owner: whether the process is wanted besides the user id.
  [[nodiscard]] bool needs_process() const noexcept { return needs_process_; }
  /// The owner as far as it is known. What it views must outlive the Matcher.
  void set_owner(const Owner& owner) noexcept;
  /// What the client speaks; none = nothing that lines name.
  void set_protocol(contract::Protocol protocol) noexcept;
  /// Valid once run() said decided.
  [[nodiscard]] const Route& route() const noexcept { return route_; }

 private:
  enum class State : std::uint8_t {
    fresh,
    walking,
    wants_address,
    wants_owner,
    wants_protocol,
    decided
  };

  bool decide_without_rules() noexcept;
  Ask walk_rules() noexcept;
  Ask wait_for(const ruleset::Match::Step& step) noexcept;
  bool take_position(std::uint32_t position) noexcept;
  bool start_again(const Route& route) noexcept;
  void finish(const Route& route) noexcept;

  const Snapshot& snapshot_;
  FlowFacts facts_;
  std::optional<Trace> trace_;  // with a sink only
  State state_ = State::fresh;
  bool needs_process_ = false;
  std::uint8_t rematch_count_ = 0;
  std::uint32_t entry_;  // the list that is walked
  std::array<std::uint32_t, kMaxRematches> rematches_;
  ruleset::Match match_;
  Route route_;
};

}  // namespace sluice::route
