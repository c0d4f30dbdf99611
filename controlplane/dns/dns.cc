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

using QueryDone = std::function<void(std::vector<std::byte>)>;

class FunctionReply final : public ReplyPath {
 public:
  explicit FunctionReply(QueryDone done) : done_(std::move(done)) {}
  void send(ByteView message) noexcept override {
    done_(std::vector<std::byte>(message.begin(), message.end()));
  }

 private:
  QueryDone done_;
};

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

void Dns::query(std::vector<std::byte> packet, QueryDone done) {
  std::vector<std::byte> reply(kMaxMessage);
  const Responder::Now now =
      parts_->responder.answer_now(packet, Endpoint{}, Transport::tcp, reply);
  if (now.outcome == Responder::Outcome::pending &&
      parts_->responder.answer_later(now.query, Transport::tcp,
                                     std::make_shared<FunctionReply>(done)))
    return;
  reply.resize(now.size);
  done(std::move(reply));
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

void Dns::flush_cache() noexcept {
  parts_->forwarder.flush();
}

void Dns::flush_fake_ip() {
  parts_->fake.flush();
}

Dns::Numbers Dns::numbers() const noexcept {
  return {parts_->forwarder.cached_count(), parts_->fake.count(), parts_->forwarder.lookup_count()};
}

}  // namespace sluice::dns
