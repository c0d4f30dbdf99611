#include "controlplane/dns/upstream/forwarder.h"

#include <algorithm>
#include <utility>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/upstream/exchange.h"
#include "controlplane/dns/upstream/system_servers.h"
#include "proto/common/log.h"

namespace sluice::dns {
namespace {

constexpr Millis kLoopWarningEvery{60'000};

bool is_address(const model::DnsServer& server) {
  return server.transport == model::DnsTransport::system || IpAddress::parse(server.host);
}

bool is_usable(const Received& received) noexcept {
  return received.full_rcode == rcode::kNoError || received.full_rcode == rcode::kNameError;
}

/// `system` stands for as many servers as the system has.
std::vector<model::DnsServer> expand(const std::vector<model::DnsServer>& servers) {
  std::vector<model::DnsServer> out;
  for (const model::DnsServer& server : servers) {
    if (server.transport != model::DnsTransport::system) {
      out.push_back(server);
      continue;
    }
    for (const Endpoint& at : system_servers())
      out.push_back({model::DnsTransport::udp, at.ip.to_string(), at.port});
  }
  if (out.size() > kMaxServers) out.resize(kMaxServers);
  return out;
}

}  // namespace

struct Forwarder::Lookup {
  Lookup(Loop& loop, std::string key_text, const QuestionKey& key_bytes, const Query& asked,
         ServerSet server_set)
      : key(std::move(key_text)),
        cache_key(key_bytes),
        query(asked),
        set(server_set),
        waiters(loop) {}

  std::string key;
  QuestionKey cache_key;
  Query query;
  ServerSet set;
  Moment deadline{};
  std::size_t running = 0;
  bool finished = false;
  AnswerRef answer;                         // usable, or the first error code
  Error error{Errc::loop, Side::us, 0, 0};  // of the first server that gave no answer at all
  bool has_error = false;
  CancelScope scope;  // of the servers that are still being asked
  WaitList waiters;
};

Forwarder::Forwarder(Loop& loop, OwnSockets& own)
    : loop_(loop), own_(own), cache_(model::Dns{}.cache_max_size, kCacheBytes), tasks_(loop) {}

Forwarder::~Forwarder() = default;

void Forwarder::configure(const model::Dns& dns, const Hosts& hosts) {
  if (main_ != dns.nameserver || bootstrap_ != dns.default_nameserver) cache_.flush();
  main_ = dns.nameserver;
  bootstrap_ = dns.default_nameserver;
  hosts_ = &hosts;
  cache_.set_max_count(dns.cache_max_size);
}

std::optional<Cache::Hit> Forwarder::cached(const Query& query, ServerSet set) {
  return cache_.find(QuestionKey(query, static_cast<std::uint8_t>(set)), loop_.now());
}

Forwarder::AnswerRef Forwarder::stale(const Query& query, ServerSet set) const {
  return cache_.find_stale(QuestionKey(query, static_cast<std::uint8_t>(set)), loop_.now());
}

std::vector<model::DnsServer> Forwarder::servers_of(ServerSet set) const {
  if (set == ServerSet::main) return expand(main_);
  std::vector<model::DnsServer> out;
  std::ranges::copy_if(bootstrap_.empty() ? main_ : bootstrap_, std::back_inserter(out),
                       is_address);
  if (out.empty()) out.push_back({model::DnsTransport::system, "", 53});
  return expand(out);
}

Task<Result<Forwarder::AnswerRef>> Forwarder::ask(Query query, ServerSet set, Until until) {
  const QuestionKey key(query, static_cast<std::uint8_t>(set));
  const auto running = lookups_.find(std::string(key.view()));
  if (running == lookups_.end() && lookups_.size() >= kMaxLookups) co_return fail(Errc::no_room);
  const LookupRef lookup = running != lookups_.end() ? running->second : start(key, query, set);
  if (!lookup->finished) {
    Task<Status> wait = wait_in(lookup->waiters, until);
    const Status woken = co_await wait;
    if (!woken) co_return fail(woken.error());
  }
  if (lookup->answer == nullptr) co_return fail(lookup->error);
  co_return lookup->answer;
}

Forwarder::LookupRef Forwarder::start(const QuestionKey& key, const Query& query, ServerSet set) {
  auto lookup = std::make_shared<Lookup>(loop_, std::string(key.view()), key, query, set);
  lookup->deadline = loop_.now() + kQueryTimeout;
  lookups_.emplace(lookup->key, lookup);
  const auto servers = servers_of(set);
  lookup->running = servers.size();
  for (const model::DnsServer& server : servers) {
    if (lookup->finished) break;
    tasks_.run(ask_server(lookup, server));
  }
  if (servers.empty()) finish(*lookup);
  return lookup;
}

Task<void> Forwarder::ask_server(LookupRef lookup, model::DnsServer server) {
  const Until until(lookup->deadline, lookup->scope);
  Task<Result<std::vector<IpAddress>>> find = addresses_of_server(server.host, until);
  const Result<std::vector<IpAddress>> addresses = co_await find;
  if (!addresses) {
    settle(*lookup, fail(addresses.error()));
    co_return;
  }
  const Transport transport =
      server.transport == model::DnsTransport::tcp ? Transport::tcp : Transport::udp;
  Result<Received> received = fail(Errc::no_address);
  for (const IpAddress& ip : *addresses) {
    const Endpoint at{ip, server.port};
    if (own_.is_listener(at)) {
      warn_loop(at);
      received = fail(Errc::loop);
      continue;
    }
    Task<Result<Received>> asked = exchange(loop_, own_, at, transport, lookup->query, until);
    received = co_await asked;
    if (received || lookup->finished) break;
  }
  settle(*lookup, std::move(received));
}

Task<Result<std::vector<IpAddress>>> Forwarder::addresses_of_server(std::string host, Until until) {
  if (const auto literal = IpAddress::parse(host)) co_return std::vector<IpAddress>(1, *literal);
  if (hosts_ != nullptr) {
    auto found = hosts_->find(host);
    if (found && found->listed) co_return std::move(found->addresses);
  }
  Query query;
  query.has_question = true;
  const auto name = WireName::from_text(host);
  if (!name) co_return fail(name.error());
  query.question = {*name, type::kA, kClassIn};
  AnswerRef answer;
  if (const auto hit = cached(query, ServerSet::bootstrap)) {
    answer = hit->answer;
  } else {
    Task<Result<AnswerRef>> asked = ask(query, ServerSet::bootstrap, until);
    Result<AnswerRef> fresh = co_await asked;
    answer = fresh ? *fresh : stale(query, ServerSet::bootstrap);
    if (answer == nullptr) co_return fail(fresh.error());
  }
  std::vector<IpAddress> out = addresses_of(*answer);
  if (out.empty()) co_return fail(Errc::no_address);
  co_return std::move(out);
}

void Forwarder::settle(Lookup& lookup, Result<Received> received) {
  if (lookup.finished) return;
  --lookup.running;
  if (received && is_usable(*received)) {
    lookup.answer = std::make_shared<Answer>(std::move(received->answer));
    cache_.put(lookup.cache_key, lookup.answer, loop_.now());
    finish(lookup);
    return;
  }
  if (received && lookup.answer == nullptr) {
    Answer failure;
    failure.rcode = received->full_rcode > 0xf ? rcode::kServerFailure : received->answer.rcode;
    lookup.answer = std::make_shared<Answer>(std::move(failure));
  } else if (!received && !lookup.has_error) {
    lookup.error = received.error();
    lookup.has_error = true;
  }
  if (lookup.running != 0) return;
  if (lookup.answer != nullptr) cache_.put_failure(lookup.cache_key, lookup.answer, loop_.now());
  finish(lookup);
}

void Forwarder::finish(Lookup& lookup) {
  lookup.finished = true;
  const LookupRef keep = lookups_.at(lookup.key);
  lookups_.erase(lookup.key);
  lookup.scope.cancel();
  lookup.waiters.wake_all({});
}

void Forwarder::warn_loop(const Endpoint& server) {
  if (loop_.now() < next_loop_warning_) return;
  next_loop_warning_ = loop_.now() + kLoopWarningEvery;
  SLUICE_LOG(warning, "dns", "server %s is this program's own listener and is not asked",
             server.to_string().c_str());
}

}  // namespace sluice::dns
