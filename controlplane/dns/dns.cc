#include "controlplane/dns/dns.h"

#include <utility>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/names/hosts.h"
#include "controlplane/dns/pool/fake_ip.h"
#include "controlplane/dns/server/responder.h"
#include "controlplane/dns/upstream/forwarder.h"
#include "controlplane/dns/upstream/own_sockets.h"
#include "controlplane/dns/upstream/resolver.h"
#include "proto/runtime/loop/task_set.h"

namespace sluice::dns {
namespace {

Task<void> resolve_then(Resolver& resolver, contract::NameQuery query,
                        std::function<void(contract::NameAnswer)> done) {
  Task<contract::NameAnswer> asked = resolver.resolve(std::move(query));
  contract::NameAnswer answer = co_await asked;
  done(std::move(answer));
}

}  // namespace

/// In the order of construction: what uses something stands behind it.
struct Dns::Parts {
  Parts(Loop& loop, BindingSink& sink)
      : fake(loop, sink),
        forwarder(loop, own),
        resolver(loop, forwarder, fake),
        responder(loop, forwarder, fake, own),
        listeners(loop, responder),
        resolving(loop) {}

  std::optional<DnsOptions> options;
  Hosts hosts;
  OwnSockets own;
  FakeIp fake;
  Forwarder forwarder;
  Resolver resolver;
  Responder responder;
  Listeners listeners;
  TaskSet resolving;
};

Dns::Dns(Loop& loop, BindingSink& sink) : parts_(std::make_unique<Parts>(loop, sink)) {}

Dns::~Dns() = default;

std::vector<ListenProblem> Dns::apply(const DnsOptions& options) {
  Parts& p = *parts_;
  if (p.options != options) {
    if (!p.options || p.options->hosts != options.hosts) p.hosts = Hosts(options.hosts);
    p.fake.configure(options);
    p.forwarder.configure(options.dns, p.hosts);
    p.resolver.configure(p.hosts, options.dns.ipv6);
    p.responder.configure(options.dns, p.hosts);
    p.options = options;
  }
  const std::optional<Endpoint> listen = options.dns.enable ? options.dns.listen : std::nullopt;
  auto problems = p.listeners.apply(listen, options.hijack_devices);
  p.own.set_listeners(p.listeners.all());
  return problems;
}

std::vector<contract::DnsPort> Dns::hijack_ports() const {
  return parts_->listeners.hijack_ports();
}

std::optional<Endpoint> Dns::listen_address() const {
  return parts_->listeners.listen_address();
}

void Dns::resolve(contract::NameQuery query, std::function<void(contract::NameAnswer)> done) {
  parts_->resolving.run(resolve_then(parts_->resolver, std::move(query), std::move(done)));
}

void Dns::restore(const std::vector<contract::Binding>& bindings, std::uint32_t next_v4,
                  std::uint32_t next_v6) {
  parts_->fake.restore(bindings, next_v4, next_v6);
}

std::vector<contract::Binding> Dns::bindings() const {
  return parts_->fake.all_bindings();
}

std::uint32_t Dns::next_offset(Family family) const noexcept {
  return parts_->fake.next(family);
}

void Dns::data_plane_ready() {
  parts_->fake.data_plane_ready();
}

void Dns::data_plane_away() {
  parts_->fake.data_plane_away();
}

contract::MemoryReport Dns::memory() const {
  const Cache& cache = parts_->forwarder.cache();
  const FakeIp& fake = parts_->fake;
  return {
      {.name = "dns-cache",
       .used_bytes = cache.bytes(),
       .bound_bytes = cache.max_bytes(),
       .items = cache.count(),
       .max_items = cache.max_count(),
       .when_full = contract::WhenFull::evicts},
      {.name = "dns-lookups",
       .items = parts_->forwarder.under_way(),
       .max_items = kMaxLookups,
       .when_full = contract::WhenFull::refuses},
      {.name = "fake-addresses",
       .used_bytes = fake.count() * sizeof(FakePool::Entry),
       .items = fake.count(),
       .max_items = fake.max_count(),
       .when_full = contract::WhenFull::evicts},
  };
}

}  // namespace sluice::dns
