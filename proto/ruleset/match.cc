#include "proto/ruleset/match.h"

#include <algorithm>
#include <bit>

namespace sluice::ruleset {
namespace {

constexpr std::uint32_t bit(Index index) noexcept {
  return 1U << static_cast<unsigned>(index);
}

constexpr std::uint32_t kNames = bit(Index::names) | bit(Index::keywords);
constexpr std::uint32_t kDestinationV4 =
    bit(Index::destination_v4) | bit(Index::destination_tail_v4);
constexpr std::uint32_t kDestinationV6 =
    bit(Index::destination_v6) | bit(Index::destination_tail_v6);
constexpr std::uint32_t kSourceV4 = bit(Index::source_v4) | bit(Index::source_tail_v4);
constexpr std::uint32_t kSourceV6 = bit(Index::source_v6) | bit(Index::source_tail_v6);
constexpr std::uint32_t kEveryFlow = bit(Index::destination_port) | bit(Index::source_port) |
                                     bit(Index::network) | bit(Index::in_type) |
                                     bit(Index::always) | bit(Index::in_port) | bit(Index::dscp);

constexpr std::uint32_t when(bool condition, std::uint32_t bits) noexcept {
  return condition ? bits : 0;
}

}  // namespace

/// The indexes for which the flow has a key now.
std::uint32_t Match::usable() const noexcept {
  const Key& k = key_;
  const bool owned = k.owner.uid_known != Known::none || k.owner.process_known != Known::none;
  return kEveryFlow | when(!k.name.empty(), kNames) | when(k.destination.is_v4(), kDestinationV4) |
         when(k.destination.is_v6(), kDestinationV6) | when(k.source.is_v4(), kSourceV4) |
         when(k.source.is_v6(), kSourceV6) |
         when(k.source_mac != MacAddress{}, bit(Index::source_mac)) |
         when(!k.user.empty(), bit(Index::user)) |
         when(!k.inbound_name.empty(), bit(Index::inbound_name)) |
         when(!k.rematch_name.empty(), bit(Index::rematch_name)) | when(owned, bit(Index::owner));
}

Match::Match(const View& view, const Key& key, const Tools& tools, std::uint32_t entry) noexcept
    : view_(&view), tools_(tools), key_(key) {
  // Nothing to look up without a name.
  address_settled_ = key_.destination.valid() || key_.name.empty();
  begin(entry);
}

void Match::begin(std::uint32_t entry) noexcept {
  const Window window = view_->window(entry);
  from_ = window.first;
  end_ = window.end;
  exact_ = lane_count_ = 0;
  usable_ = usable() & view_->present();
  for (std::uint32_t bits = usable_; bits != 0; bits &= bits - 1) {
    const auto index = static_cast<Index>(std::countr_zero(bits));
    take_part(index, view_->first_ref(index));
  }
  resolve_ = address_settled_ ? kNone : view_->next_resolve(from_);
}

void Match::restart(std::uint32_t entry, std::string_view rematch_name) noexcept {
  if (wait_ != Wait::nothing) settle();
  key_.rematch_name = rematch_name;
  found_ &= ~bit(Index::rematch_name);
  begin(entry);
}

void Match::take_part(Index index, std::uint32_t from) noexcept {
  lanes_[lane_count_] = index;
  heads_[lane_count_] = from;
  if (index == Index::always) exact_ |= 1U << lane_count_;  // every flow matches its first ref
  ++lane_count_;
}

/// Address lines at or after from_ take part from now on.
void Match::open_destination() noexcept {
  address_settled_ = true;
  resolve_ = kNone;
  const std::uint32_t more = usable() & view_->present() & (kDestinationV4 | kDestinationV6);
  for (std::uint32_t bits = more; bits != 0; bits &= bits - 1) {
    const auto index = static_cast<Index>(std::countr_zero(bits));
    take_part(index, std::max(view_->first_ref(index), from_));
  }
  usable_ |= more;
}

void Match::set_address(const IpAddress& address) noexcept {
  if (wait_ != Wait::address) return;
  wait_ = Wait::nothing;
  key_.destination = address;
  open_destination();
}

void Match::set_owner(const Owner& owner) noexcept {
  if (wait_ != Wait::owner) return;
  wait_ = Wait::nothing;
  const Known process = key_.owner.process_known;
  key_.owner = owner;
  if (owner.uid_known != Known::yes) key_.owner.uid_known = Known::none;
  // Only the user id was asked for: the process may still be.
  if (owner.process_known != Known::yes)
    key_.owner.process_known = process_asked_ ? Known::none : process;
}

void Match::set_protocol(std::optional<std::uint8_t> protocol) noexcept {
  if (wait_ != Wait::protocol) return;
  wait_ = Wait::nothing;
  key_.protocol_known = protocol ? Known::yes : Known::none;
  key_.protocol = protocol.value_or(0);
}

void Match::settle() noexcept {
  if (wait_ == Wait::address) set_address({});
  if (wait_ == Wait::owner) set_owner({});
  if (wait_ == Wait::protocol) set_protocol({});
}

void Match::skip_to(std::uint32_t position) noexcept {
  from_ = std::max(from_, position);
}

Match::Step Match::next() noexcept {
  if (wait_ != Wait::nothing) settle();
  while (true) {
    std::uint64_t best = static_cast<std::uint64_t>(kNone) << 32U;
    for (std::uint32_t i = 0; i < lane_count_; ++i)
      best = std::min(best, static_cast<std::uint64_t>(heads_[i]) << 32U | i);
    const auto position = static_cast<std::uint32_t>(best >> 32U);
    const auto lane = static_cast<std::uint32_t>(best);
    Step out;
    if (resolve_ < from_) resolve_ = view_->next_resolve(from_);
    if (resolve_ < std::min(position, end_)) {
      if (consider(resolve_, Index::always, true, out)) return out;
      continue;
    }
    if (position >= end_) return {};
    if (position < from_) {  // behind us: another index has answered, or positions were skipped
      heads_[lane] = from_;
      exact_ &= ~(1U << lane);
    } else if ((exact_ & (1U << lane)) == 0) {
      ask(lane);
    } else if (consider(position, lanes_[lane], false, out)) {
      return out;
    }
  }
}

/// True when `out` is the answer; else from_ has moved on. `by_resolve`: only an address that is
/// not known makes it a candidate.
bool Match::consider(std::uint32_t position, Index index, bool by_resolve, Step& out) noexcept {
  if (tools_.disabled != nullptr && pass_disabled(position)) return false;
  const std::uint32_t root = view_->programs().root(position);
  Verdict verdict;
  if (root != kNone) {
    verdict = evaluate(position, root);
  } else if (by_resolve) {
    verdict = {Truth::unknown, kMissingAddress};
  } else {
    verdict.truth = Truth::yes;
  }
  if (verdict.truth == Truth::unknown) {
    out = need(verdict, position);
    return true;
  }
  from_ = position + 1;
  if (verdict.truth == Truth::no) return false;
  out.outcome = Outcome::line;
  out.index = index;
  out.position = position;
  return true;
}

/// The position is tried again with the answer. The owner is asked first: that costs no network.
/// The protocol comes last: the client may have to be told that it can speak.
Match::Step Match::need(const Verdict& verdict, std::uint32_t position) noexcept {
  from_ = position;
  Step out;
  out.position = position;
  if ((verdict.missing & (kMissingUid | kMissingProcess)) != 0) {
    wait_ = Wait::owner;
    out.outcome = Outcome::needs_owner;
    // Whose process it is only matters when the user id does not settle it.
    process_asked_ = out.process = (verdict.missing & kMissingUid) == 0;
  } else if ((verdict.missing & kMissingAddress) != 0) {
    wait_ = Wait::address;
    out.outcome = Outcome::needs_address;
  } else {
    wait_ = Wait::protocol;
    out.outcome = Outcome::needs_protocol;
  }
  return out;
}

bool Match::pass_disabled(std::uint32_t position) noexcept {
  const Slot slot = view_->slot(position);
  std::uint32_t off = kNone;  // the outermost line that is disabled
  if (tools_.disabled->test(slot.line)) {
    off = slot.line;
    from_ = view_->behind_place(position);
  }
  for (std::uint32_t g = slot.group; g != kNone;) {
    const Group group = view_->group(g);
    if (tools_.disabled->test(group.line)) {
      off = group.line;
      from_ = group.end;
    }
    g = group.outer;
  }
  if (off == kNone) return false;
  if (tools_.observer != nullptr) tools_.observer->disabled(off);
  return true;
}

}  // namespace sluice::ruleset
