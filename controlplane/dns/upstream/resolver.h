// dns/upstream/resolver.h - real addresses for the data plane, by purpose.
//
// hosts first, then servers; A and AAAA at once. While no server answers, what was good last is
// given with a short TTL. Never an address of a fake pool, never for a question that resolving
// itself caused.
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <vector>

#include "controlplane/dns/names/hosts.h"
#include "controlplane/dns/pool/fake_ip.h"
#include "controlplane/dns/upstream/forwarder.h"
#include "proto/contract/names.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait_list.h"

namespace sluice::dns {

class Resolver {
 public:
  Resolver(Loop& loop, Forwarder& forwarder, FakeIp& fake) noexcept
      : loop_(loop), forwarder_(forwarder), fake_(fake) {}

  /// `ipv6` false: AAAA is not asked.
  void configure(const Hosts& hosts, bool ipv6) noexcept {
    hosts_ = &hosts;
    ipv6_ = ipv6;
  }
  /// NameAnswer::error: loop, invalid (not a name), no_address, timeout or what the servers caused.
  [[nodiscard]] Task<contract::NameAnswer> resolve(contract::NameQuery query);

 private:
  struct Part {
    std::vector<IpAddress> addresses;
    std::uint32_t ttl_s = 0;
    Errc error = Errc::none;
  };
  /// A part that is asked while another one is waited for.
  struct Beside {
    explicit Beside(Loop& loop) noexcept : waiter(loop) {}
    Part part;
    bool done = false;
    WaitList waiter;
  };
  Task<Part> ask(WireName name, std::uint16_t type, ServerSet set);
  Task<void> ask_into(WireName name, std::uint16_t type, ServerSet set, Beside& beside);
  /// A and AAAA at once.
  Task<Part> ask_both(WireName name, ServerSet set);
  [[nodiscard]] Part to_part(const Answer& answer, std::uint32_t ttl_s) const;

  Loop& loop_;
  Forwarder& forwarder_;
  FakeIp& fake_;
  const Hosts* hosts_ = nullptr;
  bool ipv6_ = false;
};

}  // namespace sluice::dns
