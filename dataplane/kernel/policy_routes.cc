#include "dataplane/kernel/policy_routes.h"

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "dataplane/kernel/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::kernel {

namespace {

// A safety bound for removing "all rules at a priority" one by one.
constexpr int kMaxLeftovers = 4096;

std::uint8_t address_family(Family family) noexcept {
  return family == Family::v4 ? AF_INET : AF_INET6;
}

/// Tables past a byte are named by their attribute alone.
std::uint8_t table_byte(std::uint32_t table) noexcept {
  return table < 256 ? static_cast<std::uint8_t>(table) : std::uint8_t{RT_TABLE_UNSPEC};
}

NetlinkMessage rule_message(int type, int flags, const RouteEntry& rule) {
  fib_rule_hdr head{};
  head.family = address_family(rule.family);
  head.action = FR_ACT_TO_TBL;
  head.table = table_byte(rule.table);
  head.dst_len = rule.destination.length;
  NetlinkMessage message(type, flags, std::as_bytes(std::span(&head, 1)));
  if (!message.valid()) return message;
  nla_put_u32(message.get(), FRA_PRIORITY, rule.priority);
  nla_put_u32(message.get(), FRA_TABLE, rule.table);
  nla_put_u32(message.get(), FRA_FWMARK, rule.marks.tproxy);
  nla_put_u32(message.get(), FRA_FWMASK, rule.marks.mask);
  if (rule.destination.base.valid())
    nla_put(message.get(), FRA_DST, static_cast<int>(rule.destination.base.bytes().size()),
            rule.destination.base.bytes().data());
  return message;
}

/// local default dev lo table N
NetlinkMessage local_route(int type, int flags, Family family, std::uint32_t table) {
  rtmsg head{};
  head.rtm_family = address_family(family);
  head.rtm_table = table_byte(table);
  head.rtm_protocol = RTPROT_STATIC;
  head.rtm_scope = RT_SCOPE_HOST;
  head.rtm_type = RTN_LOCAL;
  NetlinkMessage message(type, flags, std::as_bytes(std::span(&head, 1)));
  if (!message.valid()) return message;
  nla_put_u32(message.get(), RTA_TABLE, table);
  nla_put_u32(message.get(), RTA_OIF, ::if_nametoindex("lo"));
  return message;
}

NetlinkMessage message_for(bool add, const RouteEntry& entry) {
  const int flags = add ? NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL : NLM_F_ACK;
  if (entry.kind == RouteEntry::Kind::route)
    return local_route(add ? RTM_NEWROUTE : RTM_DELROUTE, flags, entry.family, entry.table);
  return rule_message(add ? RTM_NEWRULE : RTM_DELRULE, flags, entry);
}

RouteEntry route_entry(const RouteKeys& keys, Family family) {
  return {RouteEntry::Kind::route, family, keys.numbers.table, 0, {}, {}};
}

/// The rule that catches, and without its destination the pattern of all exceptions.
RouteEntry capture_rule(const RouteKeys& keys, Family family) {
  return {RouteEntry::Kind::rule, family,     keys.numbers.table,
          keys.numbers.priority,  keys.marks, Prefix{}};
}
RouteEntry lan_rule(const RouteKeys& keys, Family family, const Prefix& subnet) {
  return {RouteEntry::Kind::rule,    family,     RT_TABLE_MAIN,
          keys.numbers.priority - 1, keys.marks, subnet};
}

/// In the order of adding: no rule before what it leads to, nothing caught before the exceptions.
std::vector<RouteEntry> entries_for(const RouteKeys& keys, std::span<const Prefix> lan) {
  std::vector<RouteEntry> out;
  for (const Family family : {Family::v4, Family::v6}) {
    out.push_back(route_entry(keys, family));
    for (const Prefix& subnet : lan)
      if (subnet.base.family() == family) out.push_back(lan_rule(keys, family, subnet));
    out.push_back(capture_rule(keys, family));
  }
  return out;
}

bool holds(std::span<const RouteEntry> entries, const RouteEntry& entry) {
  return std::ranges::find(entries, entry) != entries.end();
}

/// Without IPv6 in the kernel (or switched off on lo) there is nothing to route.
bool lacks_family(const Error& error) noexcept {
  return error.code == Errc::unsupported || error.code == Errc::not_found ||
         error.code == Errc::denied;
}

}  // namespace

Result<PolicyRoutes> PolicyRoutes::open() {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return fail(socket.error());
  return PolicyRoutes(std::move(*socket));
}

Status PolicyRoutes::add(const RouteEntry& entry) {
  const Status added = socket_.request(message_for(true, entry));
  if (!added && added.error().code == Errc::exists) return {};
  return added;
}

Status PolicyRoutes::remove(const RouteEntry& entry) noexcept {
  return socket_.request(message_for(false, entry));
}

/// Removes each of `entries` from the kernel and from standing_, last added first.
void PolicyRoutes::remove_all(std::vector<RouteEntry>& entries) noexcept {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    (void)remove(*entry);
    std::erase(standing_, *entry);
  }
  entries.clear();
}

Status PolicyRoutes::lay_family(std::span<const RouteEntry> wanted, Family family) {
  for (const RouteEntry& entry : wanted) {
    if (entry.family != family || holds(standing_, entry)) continue;
    if (Status s = add(entry); !s) return s;
    standing_.push_back(entry);
    laid_.push_back(entry);
  }
  return {};
}

Status PolicyRoutes::lay(const RouteKeys& keys, std::span<const Prefix> lan) {
  settle();
  const std::vector<RouteEntry> wanted = entries_for(keys, lan);
  Status laid = lay_family(wanted, Family::v4);
  if (laid) {
    laid = lay_family(wanted, Family::v6);
    if (!laid && lacks_family(laid.error())) {
      SLUICE_LOG(info, "kernel", "no IPv6 policy routes: %s", describe(laid.error()).c_str());
      laid = {};
    }
  }
  if (!laid) {
    take_back();
    return laid;
  }
  for (const RouteEntry& entry : standing_)
    if (!holds(wanted, entry)) stale_.push_back(entry);
  return {};
}

void PolicyRoutes::settle() noexcept {
  laid_.clear();
  remove_all(stale_);
}

void PolicyRoutes::take_back() noexcept {
  stale_.clear();
  remove_all(laid_);
}

void PolicyRoutes::remove() noexcept {
  laid_.clear();
  stale_.clear();
  std::vector<RouteEntry> all = standing_;
  remove_all(all);
}

void PolicyRoutes::clean_leftovers(const RouteKeys& keys) noexcept {
  for (const Family family : {Family::v4, Family::v6}) {
    // Without a destination the kernel removes one rule with any.
    for (const RouteEntry& rule : {capture_rule(keys, family), lan_rule(keys, family, {})}) {
      for (int i = 0; i < kMaxLeftovers; ++i) {
        if (!remove(rule)) break;
      }
    }
    (void)remove(route_entry(keys, family));
  }
}

}  // namespace sluice::kernel
