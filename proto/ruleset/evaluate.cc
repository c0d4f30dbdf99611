// Runs a condition over three values: yes, no, and unknown while a fact has not been looked up.
#include <algorithm>

#include "proto/common/clock.h"
#include "proto/common/text.h"
#include "proto/ruleset/glob.h"
#include "proto/ruleset/match.h"

namespace sluice::ruleset {
namespace {

constexpr std::int64_t kDay_s = 24 * 60 * 60;
constexpr std::int64_t kFirstWeekday = 4;  // 1970-01-01 was a Thursday; Sunday is 0

bool is_branch(Op op) noexcept {
  return op <= Op::negate;
}

/// The low `bits` of both agree.
bool same_tail(const IpAddress& a, const IpAddress& b, unsigned bits) noexcept {
  if (a.family() != b.family()) return false;
  if (a.is_v4()) {
    const std::uint32_t differ = a.v4_value() ^ b.v4_value();
    return bits == 0 || (differ << (32 - bits)) == 0;
  }
  const Key128 x = v6_key(a);
  const Key128 y = v6_key(b);
  if (bits == 0) return true;
  const std::uint64_t low = x.low ^ y.low;
  if (bits <= 64) return (low << (64 - bits)) == 0;
  return low == 0 && ((x.high ^ y.high) << (128 - bits)) == 0;
}

bool in_range(std::uint32_t arg, std::uint32_t value) noexcept {
  return (arg & 0xffffU) <= value && value <= (arg >> 16U);
}

bool is_below(std::string_view name, std::string_view suffix) noexcept {
  return name.size() > suffix.size() + 1 && name.ends_with(suffix) &&
         name[name.size() - suffix.size() - 1] == '.';
}

}  // namespace

Match::Verdict Match::evaluate(std::uint32_t position, std::uint32_t root) noexcept {
  if (tools_.observer == nullptr) return run(root);
  const std::uint64_t before = monotonic_ns();
  const Verdict out = run(root);
  tools_.observer->tested(position, out.truth, out.leaf, out.held, monotonic_ns() - before);
  return out;
}

Match::Verdict Match::run(std::uint32_t at) noexcept {
  const Node node = view_->programs().node(at);
  if (is_branch(node.op)) return run_branch(node, at);
  Verdict out = run_leaf(node);
  out.leaf = at;
  out.held = out.truth == Truth::yes;
  return out;
}

/// The first child that decides ends it. Depth: the validator's kMaxDepth.
Match::Verdict Match::run_branch(const Node& node, std::uint32_t at) noexcept {
  if (node.op == Op::negate) {
    Verdict out = run(at + 1);
    out.truth = static_cast<Truth>(2 - static_cast<int>(out.truth));
    return out;
  }
  const Truth decides = node.op == Op::all ? Truth::no : Truth::yes;
  Verdict out;
  out.truth = node.op == Op::all ? Truth::yes : Truth::no;
  const std::uint32_t end = at + 1 + node.arg;
  for (std::uint32_t child = at + 1; child < end;) {
    const Verdict one = run(child);
    if (one.truth == decides) return one;
    if (one.truth == Truth::unknown) {
      out.truth = Truth::unknown;
      out.missing |= one.missing;
      out.leaf = one.leaf;
    }
    const Node skipped = view_->programs().node(child);
    child += is_branch(skipped.op) ? skipped.arg + 1 : 1;
  }
  return out;
}

Match::Verdict Match::run_leaf(const Node& node) noexcept {
  const auto plain = [](bool value) { return Verdict{value ? Truth::yes : Truth::no}; };
  const auto text = [&] { return view_->programs().text(node); };
  switch (node.op) {
    case Op::always:
      return plain(true);
    case Op::destination:
    case Op::source:
    case Op::destination_suffix:
    case Op::source_suffix:
      return run_address(node);
    case Op::destination_port:
      return plain(in_range(node.arg, key_.destination_port));
    case Op::source_port:
      return plain(in_range(node.arg, key_.source_port));
    case Op::in_port:
      return plain(in_range(node.arg, key_.in_port));
    case Op::dscp:
      return plain(in_range(node.arg, key_.dscp));
    case Op::network:
      return plain(node.arg == static_cast<std::uint32_t>(key_.network));
    case Op::in_type:
      return plain(key_.in_type < 32 && ((node.arg >> key_.in_type) & 1U) != 0);
    case Op::source_mac:
      return plain(text() == as_text(key_.source_mac));
    case Op::user:
      return plain(!key_.user.empty() && text() == key_.user);
    case Op::inbound_name:
      return plain(!key_.inbound_name.empty() && text() == key_.inbound_name);
    case Op::rematch_name:
      return plain(!key_.rematch_name.empty() && text() == key_.rematch_name);
    case Op::time:
      return plain(run_time(node));
    case Op::set:
      return run_set(node);
    case Op::protocol:
      return run_protocol(node);
    case Op::uid:
    case Op::process_name:
    case Op::process_path:
    case Op::process_name_wildcard:
    case Op::process_path_wildcard:
    case Op::process_name_regex:
    case Op::process_path_regex:
      return run_owner(node);
    default:
      return plain(!key_.name.empty() && run_name(node));
  }
}

bool Match::run_name(const Node& node) const noexcept {
  const std::string_view name = key_.name;
  if (node.op == Op::domain_regex)
    return tools_.patterns != nullptr && tools_.patterns->search(node.arg, name);
  if (node.op == Op::never) return false;
  const std::string_view text = view_->programs().text(node);
  switch (node.op) {
    case Op::domain:
      return name == text;
    case Op::domain_suffix:
      return name == text || is_below(name, text);
    case Op::domain_below:
      return is_below(name, text);
    case Op::domain_child:
      return is_below(name, text) && name.find('.') == name.size() - text.size() - 1;
    case Op::domain_labels:
      return matches_labels(text, name);
    case Op::domain_keyword:
      return name.find(text) != std::string_view::npos;
    case Op::domain_wildcard:
      return matches_glob(text, name);
    default:
      return false;
  }
}

Match::Verdict Match::run_address(const Node& node) const noexcept {
  const bool source = node.op == Op::source || node.op == Op::source_suffix;
  const IpAddress& ip = source ? key_.source : key_.destination;
  if (!ip.valid()) {
    const bool ask = !source && !address_settled_ && (node.flags & Node::kResolve) != 0;
    return ask ? Verdict{Truth::unknown, kMissingAddress} : Verdict{};
  }
  const IpAddress address = view_->programs().address(node);
  const bool tail = node.op == Op::destination_suffix || node.op == Op::source_suffix;
  const bool holds = tail ? same_tail(address, ip, node.extra)
                          : Prefix{address, static_cast<std::uint8_t>(node.extra)}.contains(ip);
  return {holds ? Truth::yes : Truth::no};
}

Match::Verdict Match::run_owner(const Node& node) const noexcept {
  const bool by_uid = node.op == Op::uid;
  switch (by_uid ? key_.owner.uid_known : key_.owner.process_known) {
    case Known::none:
      return {};
    case Known::no:
      return {Truth::unknown, by_uid ? kMissingUid : kMissingProcess};
    case Known::yes:
      break;
  }
  const std::uint32_t uid = key_.owner.uid;
  const Programs& programs = view_->programs();
  const bool holds =
      by_uid ? programs.word(node, 0) <= uid && uid <= programs.word(node, 1) : run_process(node);
  return {holds ? Truth::yes : Truth::no};
}

bool Match::run_process(const Node& node) const noexcept {
  const std::string_view path = key_.owner.process_path;
  if (path.empty()) return false;
  const bool by_name = node.op == Op::process_name || node.op == Op::process_name_wildcard ||
                       node.op == Op::process_name_regex;
  const std::string_view value = by_name ? path.substr(path.rfind('/') + 1) : path;
  switch (node.op) {
    case Op::process_name:
    case Op::process_path:
      return iequals(view_->programs().text(node), value);
    case Op::process_name_wildcard:
    case Op::process_path_wildcard:
      return matches_glob(view_->programs().text(node), value);
    default:
      return tools_.patterns != nullptr && tools_.patterns->search(node.arg, value);
  }
}

Match::Verdict Match::run_protocol(const Node& node) const noexcept {
  switch (key_.protocol_known) {
    case Known::none:
      return {};
    case Known::no:
      return {Truth::unknown, kMissingProtocol};
    case Known::yes:
      break;
  }
  const bool holds = key_.protocol < 32 && ((node.arg >> key_.protocol) & 1U) != 0;
  return {holds ? Truth::yes : Truth::no};
}

Match::Verdict Match::run_set(const Node& node) noexcept {
  const SetEntries set = view_->set(node.arg);
  const std::uint32_t ref = view_->position_count() + node.arg;
  for (std::uint32_t bits = set.kinds & usable_; bits != 0; bits &= bits - 1) {
    const auto index = static_cast<Index>(__builtin_ctz(bits));
    if (next_in(index, ref) == ref) return {Truth::yes};
  }
  Verdict out = set.first == set.end ? Verdict{} : run_parts(set);
  if (out.truth == Truth::yes) return out;
  if (set.asks && (node.flags & Node::kResolve) != 0 && !address_settled_) {
    out.truth = Truth::unknown;
    out.missing |= kMissingAddress;
  }
  return out;
}

/// The parts that may hold, which are those that indexes lead to.
Match::Verdict Match::run_parts(const SetEntries& set) noexcept {
  Verdict out;
  for (std::uint32_t at = next_part(set, set.first); at < set.end; at = next_part(set, at + 1)) {
    const Verdict one = run(view_->programs().root(at));
    if (one.truth == Truth::yes) return one;
    if (one.truth != Truth::unknown) continue;
    out.truth = Truth::unknown;
    out.missing |= one.missing;
  }
  return out;
}

std::uint32_t Match::next_part(const SetEntries& set, std::uint32_t from) noexcept {
  std::uint32_t best = set.parts_ask && !address_settled_ ? view_->next_resolve(from) : kNone;
  for (std::uint32_t bits = set.part_kinds & usable_; bits != 0; bits &= bits - 1)
    best = std::min(best, next_in(static_cast<Index>(__builtin_ctz(bits)), from));
  return best;
}

bool Match::run_time(const Node& node) noexcept {
  if (key_.utc_seconds == kAskClock) key_.utc_seconds = wall_ms() / 1000;
  const std::int64_t local =
      key_.utc_seconds + view_->zones().offset_at(node.extra, key_.utc_seconds);
  std::int64_t day = local / kDay_s;
  std::int64_t second = local % kDay_s;
  if (second < 0) {
    second += kDay_s;
    --day;
  }
  const auto minute = static_cast<std::uint32_t>(second / 60);
  const auto on = [&node](std::int64_t d) {
    const std::int64_t weekday = ((d + kFirstWeekday) % 7 + 7) % 7;
    return ((node.flags >> weekday) & 1U) != 0;
  };
  const std::uint32_t first = node.arg & 0xffffU;
  const std::uint32_t last = node.arg >> 16U;
  if (first < last) return on(day) && first <= minute && minute < last;
  return (on(day) && minute >= first) || (on(day - 1) && minute < last);
}

}  // namespace sluice::ruleset
