// One index at a time: the key of the flow, the node that it leads to, the first ref from there.
#include "proto/common/clock.h"
#include "proto/ruleset/match.h"

namespace sluice::ruleset {

void Match::ask(std::uint32_t lane) noexcept {
  const Index index = lanes_[lane];
  exact_ |= 1U << lane;
  if (tools_.observer == nullptr) {
    heads_[lane] = next_in(index, from_);
    return;
  }
  const std::uint64_t before = monotonic_ns();
  const std::uint32_t ref = next_in(index, from_);
  const std::uint64_t spent = monotonic_ns() - before;
  heads_[lane] = ref;
  tools_.observer->asked(index, from_, ref < end_ ? ref : kNone, spent);
}

/// First ref >= from in the index; the flow's place in it is looked up once.
std::uint32_t Match::next_in(Index index, std::uint32_t from) noexcept {
  const auto at = static_cast<std::size_t>(index);
  if ((found_ & (1U << at)) == 0) {
    found_ |= 1U << at;
    find(index);
  }
  switch (shape_of(index)) {
    case Shape::names:
      return view_->names().next(name_, from);
    case Shape::keywords:
      return view_->keywords().next(keywords_, key_.name, from);
    case Shape::prefixes32:
      return view_->prefixes32(index).next(nodes_[at], from);
    case Shape::prefixes128:
      return view_->prefixes128(index).next(nodes_[at], from);
    case Shape::words:
      return view_->words(index).next(nodes_[at], from);
    case Shape::list:
      return view_->list(index).next(from);
  }
  return kNone;
}

void Match::find(Index index) noexcept {
  std::uint32_t& node = nodes_[static_cast<std::size_t>(index)];
  switch (shape_of(index)) {
    case Shape::names:
      name_ = view_->names().find(key_.name);
      break;
    case Shape::keywords:
      view_->keywords().find(key_.name, keywords_);
      break;
    case Shape::prefixes32:
      node = view_->prefixes32(index).find(key32(index));
      break;
    case Shape::prefixes128:
      node = view_->prefixes128(index).find(key128(index));
      break;
    case Shape::words:
      node = view_->words(index).find(key_word(index));
      break;
    case Shape::list:
      break;
  }
}

std::uint32_t Match::key32(Index index) const noexcept {
  switch (index) {
    case Index::destination_v4:
      return key_.destination.v4_value();
    case Index::destination_tail_v4:
      return reversed(key_.destination.v4_value());
    case Index::source_v4:
      return key_.source.v4_value();
    case Index::source_tail_v4:
      return reversed(key_.source.v4_value());
    case Index::destination_port:
      return port_key(key_.destination_port);
    case Index::source_port:
      return port_key(key_.source_port);
    case Index::in_port:
      return port_key(key_.in_port);
    case Index::network:
      return code_key(static_cast<std::uint8_t>(key_.network));
    case Index::in_type:
      return code_key(key_.in_type);
    case Index::dscp:
      return code_key(key_.dscp);
    default:
      return 0;
  }
}

Key128 Match::key128(Index index) const noexcept {
  switch (index) {
    case Index::destination_v6:
      return v6_key(key_.destination);
    case Index::destination_tail_v6:
      return reversed(v6_key(key_.destination));
    case Index::source_v6:
      return v6_key(key_.source);
    case Index::source_tail_v6:
      return reversed(v6_key(key_.source));
    default:
      return {};
  }
}

std::string_view Match::key_word(Index index) const noexcept {
  switch (index) {
    case Index::source_mac:
      return as_text(key_.source_mac);
    case Index::user:
      return key_.user;
    case Index::inbound_name:
      return key_.inbound_name;
    case Index::rematch_name:
      return key_.rematch_name;
    default:
      return {};
  }
}

}  // namespace sluice::ruleset
