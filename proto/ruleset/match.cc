#include "proto/ruleset/match.h"

#include <algorithm>

#include "proto/common/clock.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint16_t bit(Index index) noexcept {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(index));
}
constexpr std::size_t at(Index index) noexcept {
  return static_cast<std::size_t>(index);
}

}  // namespace

Match::Match(const View& view, const Key& key, Observer* observer) noexcept
    : view_(&view), observer_(observer), key_(key) {
  for (std::size_t i = 0; i < kIndexCount; ++i)
    heads_[i] = view.first_position(static_cast<Index>(i));
  if (key_.name.empty()) heads_[at(Index::names)] = heads_[at(Index::keywords)] = kNone;
  heads_[at(key_.source.is_v4() ? Index::source_v6 : Index::source_v4)] = kNone;
  if (!key_.source.valid()) heads_[at(Index::source_v6)] = kNone;
  heads_[at(Index::destination_v4)] = heads_[at(Index::destination_v6)] = kNone;
  if (key_.destination.valid()) {
    open_destination();
  } else if (key_.name.empty()) {
    address_ = Address::settled;  // nothing to look up
  } else {
    resolve_ = view.next_resolve(0);
  }
}

/// Address lines at or after from_ take part from now on.
void Match::open_destination() noexcept {
  address_ = Address::settled;
  resolve_ = kNone;
  if (!key_.destination.valid()) return;
  const Index index = key_.destination.is_v4() ? Index::destination_v4 : Index::destination_v6;
  const std::uint32_t first = view_->first_position(index);
  heads_[at(index)] = first == kNone ? kNone : std::max(first, from_);
}

void Match::set_address(const IpAddress& address) noexcept {
  if (address_ != Address::asked) return;
  key_.destination = address;
  open_destination();
}

Match::Step Match::next() noexcept {
  if (address_ == Address::asked) open_destination();  // nobody answered: it failed
  while (true) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < kIndexCount; ++i)
      if (heads_[i] < heads_[best]) best = i;
    const std::uint32_t position = heads_[best];
    const auto index = static_cast<Index>(best);
    if (resolve_ < position) {
      address_ = Address::asked;
      from_ = std::max(from_, resolve_);
      return {Outcome::needs_address, resolve_, index};
    }
    if (position == kNone) return {};
    if (position < from_) {  // a line with several keys that another index has answered
      heads_[best] = from_;
      exact_ &= static_cast<std::uint16_t>(~bit(index));
      continue;
    }
    if ((exact_ & bit(index)) == 0) {
      heads_[best] = observer_ == nullptr ? ask(index) : ask_observed(index);
      exact_ |= bit(index);
      continue;
    }
    from_ = position + 1;
    heads_[best] = from_;
    exact_ &= static_cast<std::uint16_t>(~bit(index));
    return {Outcome::line, position, index};
  }
}

std::uint32_t Match::ask_observed(Index index) noexcept {
  const std::uint64_t before = monotonic_ns();
  const std::uint32_t position = ask(index);
  observer_->asked(index, from_, position, monotonic_ns() - before);
  return position;
}

std::uint32_t Match::ask(Index index) noexcept {
  if (index == Index::keywords) return view_->keywords().next(key_.name, from_);
  if (index != Index::names) return ask_prefixes(index);
  if ((found_ & bit(index)) == 0) {
    const NameIndex::Found found = view_->names().find(key_.name);
    nodes_[at(index)] = found.slot;
    name_whole_ = found.whole;
    found_ |= bit(index);
  }
  return view_->names().next({nodes_[at(index)], name_whole_}, from_);
}

std::uint32_t Match::ask_prefixes(Index index) noexcept {
  std::uint32_t& node = nodes_[at(index)];
  const bool wide = index == Index::destination_v6 || index == Index::source_v6;
  if ((found_ & bit(index)) == 0) {
    found_ |= bit(index);
    if (wide) {
      const IpAddress& ip = index == Index::destination_v6 ? key_.destination : key_.source;
      node = view_->prefixes128(index).find(v6_key(ip));
    } else {
      std::uint32_t key = 0;
      switch (index) {
        case Index::destination_v4:
          key = key_.destination.v4_value();
          break;
        case Index::source_v4:
          key = key_.source.v4_value();
          break;
        case Index::destination_port:
          key = port_key(key_.destination_port);
          break;
        case Index::source_port:
          key = port_key(key_.source_port);
          break;
        case Index::network:
          key = code_key(static_cast<std::uint8_t>(key_.network));
          break;
        case Index::in_type:
          key = code_key(key_.in_type);
          break;
        default:
          break;
      }
      node = view_->prefixes32(index).find(key);
    }
  }
  return wide ? view_->prefixes128(index).next(node, from_)
              : view_->prefixes32(index).next(node, from_);
}

}  // namespace sluice::ruleset
