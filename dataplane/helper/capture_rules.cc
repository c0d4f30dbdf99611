#include "dataplane/helper/capture_rules.h"

#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <span>

#include "dataplane/helper/netfilter_abi.h"

namespace sluice::nft {

namespace {

// One before everybody else's chains of the same kind, fw4's included.
constexpr std::int32_t kBeforeMangle = kPriorityMangle - 1;
constexpr std::int32_t kBeforeDstnat = kPriorityDstnat - 1;
constexpr std::int32_t kBeforeFilter = kPriorityFilter - 1;
constexpr std::uint16_t kDnsPort = 53;

struct ChainSpec {
  const char* name;
  Hook hook;
};
constexpr std::array kChains{
    ChainSpec{"prerouting", {"filter", kHookPrerouting, kBeforeMangle}},
    ChainSpec{"dstnat", {"nat", kHookPrerouting, kBeforeDstnat}},
    ChainSpec{"output", {"route", kHookOutput, kBeforeMangle}},
    ChainSpec{"nat_output", {"nat", kHookOutput, kBeforeDstnat}},
    ChainSpec{"input", {"filter", kHookInput, kBeforeFilter}},
    ChainSpec{"lan", {}},
    ChainSpec{"bypass", {}},
    ChainSpec{"plain", {}},
    ChainSpec{"caught", {}},
    ChainSpec{"fake", {}},
    ChainSpec{"lan_nat", {}},
    ChainSpec{"dns", {}},
    ChainSpec{"output_caught", {}},
    ChainSpec{"output_fake", {}},
};

Rule rule(const char* chain, const char* label) {
  return {kTableName, chain, label};
}

class Builder {
 public:
  Builder(Transaction& transaction, const CaptureTable& table)
      : out_(transaction), table_(table), marks_(table.marks) {}

  void build() {
    out_.add_table(kTableName, true);
    for (const ChainSpec& chain : kChains) out_.add_chain(kTableName, chain.name, chain.hook);
    for (const ChainSpec& chain : kChains) out_.flush_chain(kTableName, chain.name);
    for (const Family family : {Family::v4, Family::v6}) add_named_sets(family);
    prerouting();
    lan();
    bypass();
    plain();
    caught();
    fake("fake", "caught");
    lan_nat();
    if (table_.router_traffic) router();
    input();
    if (table_.dns_redirect) rebuild_dns_chain(out_, table_, true);
  }

 private:
  [[nodiscard]] bool takes_tcp() const noexcept { return table_.tcp_port != 0; }
  [[nodiscard]] bool takes_udp() const noexcept { return !table_.udp_ports.empty(); }
  [[nodiscard]] bool redirects() const noexcept { return table_.mode == Mode::redirect; }
  SetRef tcp_and_udp() {
    constexpr std::array<std::uint8_t, 2> kBoth{IPPROTO_TCP, IPPROTO_UDP};
    return out_.add_protocol_set(kTableName, kBoth);
  }
  SetRef lan_devices() {
    std::vector<std::string> names;
    for (const LanDevice& device : table_.lan) names.push_back(device.name);
    return out_.add_device_set(kTableName, names);
  }

  void add_named_sets(Family family) {
    direct_[family == Family::v6] = {
        out_.add_prefix_set(kTableName, set_name(SetId::prefixes, family), family),
        out_.add_address_set(kTableName, set_name(SetId::addresses, family), family)};
  }

  void prerouting() {
    // Never for UDP: datagrams of other clients would land in a cached reply socket.
    out_.add_rule(rule("prerouting", "nft_socket: caught TCP flows")
                      .l4proto(IPPROTO_TCP)
                      .transparent_socket()
                      .mark_set(MarkOf::packet, marks_.mask, marks_.tproxy)
                      .accept());
    if (table_.router_traffic)
      out_.add_rule(rule("prerouting", "router traffic on lo")
                        .iifname("lo")
                        .mark(MarkOf::packet, marks_.mask, marks_.tproxy)
                        .go_to("caught"));
    if (!table_.lan.empty())
      out_.add_rule(rule("prerouting", "from LAN").iifname_in(lan_devices()).go_to("lan"));
  }

  /// What decides a flow, shared by LAN and router traffic.
  void decide(const char* chain, const char* fake, const char* pass, const char* take) {
    for (const Prefix& range : table_.fakes)
      out_.add_rule(rule(chain, "fake range").destination_in(range).go_to(fake));
    out_.add_rule(rule(chain, "nft_ct: reply direction").reply_direction().go_to(pass));
    out_.add_rule(
        rule(chain, "other protocols").l4proto_in(tcp_and_udp(), Wanted::differs).go_to(pass));
    if (!takes_tcp())
      out_.add_rule(rule(chain, "TCP without a listener").l4proto(IPPROTO_TCP).go_to(pass));
    if (!takes_udp())
      out_.add_rule(rule(chain, "UDP without a listener").l4proto(IPPROTO_UDP).go_to(pass));
    out_.add_rule(rule(chain, "decided before")
                      .mark(MarkOf::connection, marks_.mask, marks_.tproxy)
                      .go_to(take));
    out_.add_rule(rule(chain, "older than the rules").connection_new(Wanted::differs).go_to(pass));
    out_.add_rule(rule(chain, "bypass").jump("bypass"));
    out_.add_rule(rule(chain, "capture").go_to(take));
  }

  void lan() {
    // Redirected later in dstnat. While withdrawn it passes plainly, but unmarked: fail-closed
    // means that no name leaves either.
    if (table_.dns_hijack) {
      for (const std::uint8_t protocol : {IPPROTO_UDP, IPPROTO_TCP})
        out_.add_rule(rule("lan", "port 53").l4proto(protocol).destination_port(kDnsPort).accept());
    }
    decide("lan", "fake", "plain", "caught");
  }

  void bypass() {
    constexpr std::array<std::uint32_t, 4> kHere{RTN_LOCAL, RTN_BROADCAST, RTN_ANYCAST,
                                                 RTN_MULTICAST};
    out_.add_rule(
        rule("bypass", "own mark").mark(MarkOf::packet, marks_.mask, marks_.bypass).go_to("plain"));
    const SetRef here = out_.add_constant_set(kTableName, KeyType::address_type, kHere);
    out_.add_rule(
        rule("bypass", "nft_fib_inet: own addresses").destination_type_in(here).go_to("plain"));
    for (const Family family : {Family::v4, Family::v6}) {
      const bool any = std::ranges::any_of(
          table_.bypass, [&](const Prefix& prefix) { return prefix.base.family() == family; });
      if (any) {
        const SetRef reserved = out_.add_constant_prefix_set(kTableName, family, table_.bypass);
        out_.add_rule(rule("bypass", "bypassed prefixes")
                          .destination_in_set(family, reserved)
                          .go_to("plain"));
      }
      for (const SetRef& set : direct_[family == Family::v6])
        out_.add_rule(rule("bypass", "direct").destination_in_set(family, set).go_to("plain"));
    }
  }

  void plain() {
    Rule pass = rule("plain", "pass plainly");
    if (table_.fail_closed) pass.mark_set(MarkOf::packet, marks_.mask, marks_.bypass);
    out_.add_rule(pass.accept());
  }

  /// Ends a rule that hands a packet to a listener. TPROXY stands before it: where no listener
  /// answers, the rule ends there and neither mark is set.
  Rule& take(Rule& taken) {
    return taken.mark_set(MarkOf::connection, marks_.mask, marks_.tproxy)
        .mark_set(MarkOf::packet, marks_.mask, marks_.tproxy)
        .accept();
  }

  void caught() {
    if (takes_tcp() && redirects())
      out_.add_rule(rule("caught", "redirected TCP")
                        .l4proto(IPPROTO_TCP)
                        .mark_set(MarkOf::connection, marks_.mask, marks_.tproxy)
                        .accept());
    for (const std::uint8_t family : {kFamilyV4, kFamilyV6}) {
      if (takes_tcp() && !redirects()) {
        Rule tcp = rule("caught", "nft_tproxy: TCP");
        tcp.nfproto(family).l4proto(IPPROTO_TCP).tproxy(family, table_.tcp_port);
        out_.add_rule(take(tcp));
      }
      if (takes_udp()) {
        Rule udp = rule("caught", "nft_tproxy, nft_hash: UDP");
        udp.nfproto(family).l4proto(IPPROTO_UDP);
        if (table_.udp_ports.size() == 1) {
          udp.tproxy(family, table_.udp_ports.front());
        } else {
          udp.tproxy_hashed(family, out_.add_port_map(kTableName, table_.udp_ports),
                            static_cast<std::uint32_t>(table_.udp_ports.size()));
        }
        out_.add_rule(take(udp));
      }
    }
    for (const Prefix& range : table_.fakes)
      out_.add_rule(rule("caught", "fake range, no listener").destination_in(range).drop());
  }

  /// A fake address means something to our listeners only. Its ping is answered by ourselves.
  void fake(const char* chain, const char* take_chain) {
    if (table_.fakes.empty()) return;
    out_.add_rule(rule(chain, "fake range").l4proto_in(tcp_and_udp()).go_to(take_chain));
    out_.add_rule(rule(chain, "ping").l4proto(IPPROTO_ICMP).icmp_type(kEchoRequestV4).accept());
    out_.add_rule(rule(chain, "ping").l4proto(IPPROTO_ICMPV6).icmp_type(kEchoRequestV6).accept());
    out_.add_rule(rule(chain, "fake range, other protocols").drop());
  }

  void answer_ping(const char* chain) {
    for (const Prefix& range : table_.fakes) {
      const bool v4 = range.base.is_v4();
      const std::uint8_t protocol = v4 ? std::uint8_t{IPPROTO_ICMP} : std::uint8_t{IPPROTO_ICMPV6};
      out_.add_rule(rule(chain, "nft_redir: ping of a fake address")
                        .destination_in(range)
                        .l4proto(protocol)
                        .icmp_type(v4 ? kEchoRequestV4 : kEchoRequestV6)
                        .redirect(0));
    }
  }

  void redirect_captured_tcp(const char* chain) {
    if (!takes_tcp() || !redirects()) return;
    out_.add_rule(rule(chain, "nft_redir: captured TCP")
                      .l4proto(IPPROTO_TCP)
                      .mark(MarkOf::connection, marks_.mask, marks_.tproxy)
                      .redirect(table_.tcp_port));
  }

  void lan_nat() {
    if (table_.lan.empty()) return;
    out_.add_rule(rule("dstnat", "from LAN").iifname_in(lan_devices()).go_to("lan_nat"));
    out_.add_rule(rule("lan_nat", "LAN DNS").jump("dns"));
    answer_ping("lan_nat");
    redirect_captured_tcp("lan_nat");
  }

  void router() {
    out_.add_rule(
        rule("output", "own mark").mark(MarkOf::packet, marks_.mask, marks_.bypass).accept());
    if (!table_.exempt_uids.empty()) {
      const SetRef users = out_.add_constant_set(kTableName, KeyType::uid, table_.exempt_uids);
      out_.add_rule(rule("output", "exempt users").socket_user_in(users).accept());
    }
    decide("output", "output_fake", "plain", "output_caught");
    fake("output_fake", "output_caught");
    answer_ping("nat_output");
    redirect_captured_tcp("nat_output");
    if (redirects())
      out_.add_rule(rule("output_caught", "redirected TCP")
                        .l4proto(IPPROTO_TCP)
                        .mark_set(MarkOf::connection, marks_.mask, marks_.tproxy)
                        .accept());
    // The mark routes the packet to lo, where prerouting meets it again.
    Rule again = rule("output_caught", "captured");
    out_.add_rule(take(again));
  }

  void input() {
    const MarkOf proof = redirects() ? MarkOf::connection : MarkOf::packet;
    if (takes_tcp())
      out_.add_rule(rule("input", "uninvited at the TCP listener")
                        .l4proto(IPPROTO_TCP)
                        .destination_port(table_.tcp_port)
                        .mark(proof, marks_.mask, marks_.tproxy, Wanted::differs)
                        .drop());
    for (const std::uint16_t port : table_.udp_ports)
      out_.add_rule(rule("input", "uninvited at a UDP listener")
                        .l4proto(IPPROTO_UDP)
                        .destination_port(port)
                        .mark(MarkOf::packet, marks_.mask, marks_.tproxy, Wanted::differs)
                        .drop());
    for (const LanDevice& device : table_.lan) {
      uninvited_dns(device.name, IPPROTO_UDP, device.dns_udp_port);
      uninvited_dns(device.name, IPPROTO_TCP, device.dns_tcp_port);
    }
  }

  void uninvited_dns(const std::string& device, std::uint8_t protocol, std::uint16_t port) {
    if (!table_.dns_hijack || port == 0) return;
    out_.add_rule(rule("input", "uninvited at a DNS listener")
                      .iifname(device)
                      .l4proto(protocol)
                      .destination_port(port)
                      .mark(MarkOf::connection, marks_.mask, marks_.dns, Wanted::differs)
                      .drop());
  }

  Transaction& out_;
  const CaptureTable& table_;
  const Marks marks_;
  std::array<std::array<SetRef, 2>, 2> direct_;  // v4, v6: prefixes, addresses
};

}  // namespace

void build_capture_table(Transaction& transaction, const CaptureTable& table) {
  Builder(transaction, table).build();
}

void rebuild_dns_chain(Transaction& transaction, const CaptureTable& table, bool on) {
  transaction.flush_chain(kTableName, "dns");
  if (!on) return;
  for (const LanDevice& device : table.lan) {
    struct Way {
      std::uint8_t protocol;
      std::uint16_t port;
    };
    for (const Way way :
         {Way{IPPROTO_UDP, device.dns_udp_port}, Way{IPPROTO_TCP, device.dns_tcp_port}}) {
      if (way.port == 0) continue;
      // The connection mark names what must be forgotten when the redirect is withdrawn.
      transaction.add_rule(rule("dns", "nft_redir: LAN DNS")
                               .iifname(device.name)
                               .l4proto(way.protocol)
                               .destination_port(kDnsPort)
                               .mark_set(MarkOf::connection, table.marks.mask, table.marks.dns)
                               .redirect(way.port));
    }
  }
}

const char* set_name(SetId set, Family family) noexcept {
  switch (set) {
    case SetId::prefixes:
      return family == Family::v4 ? "direct4" : "direct6";
    case SetId::addresses:
      return family == Family::v4 ? "hosts4" : "hosts6";
  }
  return "";
}

}  // namespace sluice::nft
