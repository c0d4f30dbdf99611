// route/matcher.h - decides one flow against one snapshot, asking for an address only when a rule
// needs one.
//
//   Matcher m{snapshot, facts};
//   if (m.run() == Matcher::Ask::needs_address) {
//     const auto answer = co_await names.resolve(facts.destination->name, NamePurpose::rule);
//     m.set_addresses(answer ? answer->addresses : std::span<const IpAddress>{});
//     m.run();                                      // decided now
//   }
//   const Route& route = m.route();
//
// Order: the listener's outbound, then the mode (direct, global), then the rules from the top,
// first match wins; nothing matched is DIRECT. A line goes on to the next one when its target is
// PASS (also behind a group), or when the flow is UDP and the target's leaf carries none.
//
// Addresses. One that the destination already has is tested without a look-up. Otherwise the first
// *reached* destination-address line without `no-resolve` asks, once per flow; it and all later
// address lines, also those with `no-resolve`, see the answer; earlier ones stay unmatched.
// Of several addresses the first one counts.
//
// Memory: no allocation, about 400 bytes. Thread: stays where it was made; the snapshot must be
// pinned for as long as the Matcher lives.
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
  enum class Ask : std::uint8_t { decided, needs_address };

  /// `facts` is copied; what it points to, `snapshot` and `trace` must outlive the Matcher.
  /// With a `trace` the steps are recorded and no hit is counted.
  Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace = nullptr) noexcept;
  Matcher(const Matcher&) = delete;  // the walk over the rules points back here
  Matcher& operator=(const Matcher&) = delete;

  /// Goes on until decided or until an address is needed. At most one needs_address per flow;
  /// calling it again without set_addresses() takes the look-up as failed.
  Ask run() noexcept;
  /// The look-up's result, best first. Empty = it failed: all later address lines fail too.
  void set_addresses(std::span<const IpAddress> addresses) noexcept;
  /// Valid once run() said decided.
  [[nodiscard]] const Route& route() const noexcept { return route_; }

 private:
  enum class State : std::uint8_t { fresh, walking, waiting, decided };

  bool decide_without_rules() noexcept;
  Ask walk_rules() noexcept;
  bool take_line(std::uint32_t index) noexcept;
  void finish(const Route& route) noexcept;

  // What explain sees; nothing here runs without a sink.
  void asked(ruleset::Index index, std::uint32_t from, std::uint32_t position,
             std::uint64_t ns) noexcept override;
  void trace(std::string_view what, std::string detail, std::uint64_t ns = 0);
  void trace_line(std::uint32_t index, const Route& route, bool taken);
  void trace_chain();
  [[nodiscard]] std::string number_text(std::uint32_t index) const;
  [[nodiscard]] std::string line_text(std::uint32_t index) const;

  const Snapshot& snapshot_;
  FlowFacts facts_;
  TraceSink* trace_;
  State state_ = State::fresh;
  std::uint32_t next_line_ = 0;    // lines below were ruled out or passed over
  std::uint64_t asked_at_ns_ = 0;  // with a sink: when the address was asked for
  ruleset::Match match_;
  Route route_;
};

}  // namespace sluice::route
