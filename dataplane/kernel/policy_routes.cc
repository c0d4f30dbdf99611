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

/// A routing rule: marked packets, to `destination` if any, look up `table`.
struct RuleSpec {
  Family family = Family::v4;
  std::uint32_t priority = 0;
  std::uint32_t table = 0;
  nft::Marks marks;
  Prefix destination;
};

NetlinkMessage rule_message(int type, int flags, const RuleSpec& rule) {
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

constexpr int kNew = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;

}  // namespace

Result<PolicyRoutes> PolicyRoutes::open(const RouteNumbers& numbers) {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return fail(socket.error());
  return PolicyRoutes(std::move(*socket), numbers);
}

Status PolicyRoutes::add_family(const State& state, Family family) {
  const auto accept_existing = [](Status status) -> Status {
    if (!status && status.error().code == Errc::exists) return {};
    return status;
  };
  if (Status s =
          accept_existing(socket_.request(local_route(RTM_NEWROUTE, kNew, family, numbers_.table)));
      !s)
    return s;
  for (const Prefix& subnet : state.lan) {
    if (subnet.base.family() != family) continue;
    const RuleSpec rule{family, numbers_.priority - 1, RT_TABLE_MAIN, state.marks, subnet};
    if (Status s = accept_existing(socket_.request(rule_message(RTM_NEWRULE, kNew, rule))); !s)
      return s;
  }
  const RuleSpec rule{family, numbers_.priority, numbers_.table, state.marks, {}};
  return accept_existing(socket_.request(rule_message(RTM_NEWRULE, kNew, rule)));
}

Status PolicyRoutes::add(const State& state) {
  if (Status s = add_family(state, Family::v4); !s) return s;
  const Status v6 = add_family(state, Family::v6);
  if (v6) return {};
  // Without IPv6 in the kernel (or switched off on lo) there is nothing to route.
  if (v6.error().code != Errc::unsupported && v6.error().code != Errc::not_found &&
      v6.error().code != Errc::denied)
    return v6;
  SLUICE_LOG(info, "kernel", "no IPv6 policy routes: %s", describe(v6.error()).c_str());
  return {};
}

void PolicyRoutes::remove_all(const nft::Marks& marks) noexcept {
  for (const Family family : {Family::v4, Family::v6}) {
    const RuleSpec capture{family, numbers_.priority, numbers_.table, marks, {}};
    // Without a destination the kernel removes one rule with any.
    const RuleSpec lan{family, numbers_.priority - 1, RT_TABLE_MAIN, marks, {}};
    for (const RuleSpec& rule : {capture, lan}) {
      for (int i = 0; i < kMaxLeftovers; ++i) {
        if (!socket_.request(rule_message(RTM_DELRULE, NLM_F_ACK, rule))) break;
      }
    }
    (void)socket_.request(local_route(RTM_DELROUTE, NLM_F_ACK, family, numbers_.table));
  }
}

Status PolicyRoutes::install(const nft::Marks& marks, std::span<const Prefix> lan) {
  State wanted{true, marks, {lan.begin(), lan.end()}};
  if (state_.installed && state_.marks == wanted.marks && state_.lan == wanted.lan) return {};
  const State former = state_;
  // Adding first keeps captured flows routed; what is no longer wanted goes after.
  Status added = add(wanted);
  if (!added) {
    remove_all(wanted.marks);
    if (former.installed) remove_all(former.marks);
    state_ = {};
    if (former.installed && add(former)) state_ = former;
    return added;
  }
  for (const Prefix& subnet : former.lan) {
    if (former.marks == wanted.marks && std::ranges::find(wanted.lan, subnet) != wanted.lan.end())
      continue;
    const RuleSpec rule{subnet.base.family(), numbers_.priority - 1, RT_TABLE_MAIN, former.marks,
                        subnet};
    (void)socket_.request(rule_message(RTM_DELRULE, NLM_F_ACK, rule));
  }
  if (former.installed && !(former.marks == wanted.marks)) {
    for (const Family family : {Family::v4, Family::v6}) {
      const RuleSpec rule{family, numbers_.priority, numbers_.table, former.marks, {}};
      (void)socket_.request(rule_message(RTM_DELRULE, NLM_F_ACK, rule));
    }
  }
  state_ = std::move(wanted);
  return {};
}

void PolicyRoutes::remove() noexcept {
  if (!state_.installed) return;
  remove_all(state_.marks);
  state_ = {};
}

void PolicyRoutes::clean_leftovers(const nft::Marks& marks) noexcept {
  remove_all(marks);
}

}  // namespace sluice::kernel
