// route/matcher.h - decides one flow against one snapshot, asking for an address only when a rule
// needs one.
//
//   Matcher m{snapshot, facts};
//   Matcher::Ask ask = m.run();
//   while (ask != Matcher::Ask::decided) {
//     if (ask == Matcher::Ask::needs_address) {
//       const auto answer = co_await names.resolve(facts.destination->name, NamePurpose::rule);
//       m.set_addresses(answer ? answer->addresses : std::span<const IpAddress>{});
//     } else {
//       m.set_owner(co_await owners.find(facts, m.needs_process()));
//     }
//     ask = m.run();
//   }
//   const Route& route = m.route();
//
// Order: the listener's outbound, then the mode (direct, global), then the rules from the top,
// first match wins; nothing matched is DIRECT. A line goes on to the next one of the list when it
// is disabled, when its target is PASS (also behind a group), or when the flow is UDP and the
// target's leaf carries none.
//
// Addresses. One that the destination already has is tested without a look-up. Otherwise the first
// *reached* destination-address line without `no-resolve` asks, once per flow; it and all later
// address lines, also those with `no-resolve`, see the answer; earlier ones stay unmatched.
// Of several addresses the first one counts.
//
// Owners. Lines by user id or process ask for the owner of a flow that this machine started, first
// for the user id alone, and for the process only when a line hangs on it.
//
// Memory: no allocation (patterns.h says what RE2 keeps), about 900 bytes. Thread: stays where it
// was made; the snapshot must be pinned for as long as the Matcher lives.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dataplane/route/route.h"
#include "dataplane/route/snapshot.h"
#include "proto/contract/explain.h"
#include "proto/ruleset/match.h"

namespace sluice::route {

/// Receives the steps of a decision; only `explain` has one, so its cost is of no matter.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void step(contract::ExplainStep step) = 0;
};

class Matcher final : private ruleset::Observer {
 public:
  enum class Ask : std::uint8_t { decided, needs_address, needs_owner };

  /// `facts` is copied; what it points to, `snapshot` and `trace` must outlive the Matcher.
  /// With a `trace` the steps are recorded and no hit is counted.
  Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace = nullptr) noexcept;
  Matcher(const Matcher&) = delete;  // the walk over the rules points back here
  Matcher& operator=(const Matcher&) = delete;

  /// Goes on until decided or until a fact is needed: at most one address and two owners per flow.
  /// Calling it again without the answer takes the look-up as failed.
  Ask run() noexcept;
  /// The look-up's result, best first. Empty = it failed: all later address lines fail too.
  void set_addresses(std::span<const IpAddress> addresses) noexcept;
  /// With needs_owner: whether the process is wanted besides the user id.
  [[nodiscard]] bool needs_process() const noexcept { return needs_process_; }
  /// The owner as far as it is known. What it views must outlive the Matcher.
  void set_owner(const Owner& owner) noexcept;
  /// Valid once run() said decided.
  [[nodiscard]] const Route& route() const noexcept { return route_; }

 private:
  enum class State : std::uint8_t { fresh, walking, wants_address, wants_owner, decided };

  bool decide_without_rules() noexcept;
  Ask walk_rules() noexcept;
  Ask wait_for(const ruleset::Match::Step& step) noexcept;
  bool take_position(std::uint32_t position) noexcept;
  void finish(const Route& route) noexcept;

  // What explain sees; nothing here runs without a sink.
  void asked(ruleset::Index index, std::uint32_t from, std::uint32_t position,
             std::uint64_t ns) noexcept override;
  void tested(std::uint32_t position, ruleset::Truth truth, std::uint32_t leaf, bool held,
              std::uint64_t ns) noexcept override;
  void disabled(std::uint32_t position) noexcept override;
  void trace(std::string_view what, std::string detail, std::uint64_t ns = 0);
  void trace_line(const ruleset::Slot& slot, const Route& route, bool taken);
  void trace_passed(std::uint32_t top);
  void trace_chain();
  [[nodiscard]] std::string number_text(std::uint32_t index) const;
  [[nodiscard]] std::string line_text(std::uint32_t index) const;

  const Snapshot& snapshot_;
  FlowFacts facts_;
  TraceSink* trace_;
  State state_ = State::fresh;
  bool needs_process_ = false;
  std::uint32_t next_line_ = 0;    // lines of the list below were ruled out or passed over
  std::uint64_t asked_at_ns_ = 0;  // with a sink: when the fact was asked for
  ruleset::Match match_;
  Route route_;
};

}  // namespace sluice::route
