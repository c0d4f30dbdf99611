#include "controlplane/dns/upstream/resolver.h"

#include <algorithm>
#include <utility>

#include "controlplane/dns/bounds.h"
#include "proto/runtime/loop/task_set.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::dns {
namespace {

/// TTL of an answer that may be kept, RFC 2181 section 5.2, after `age_s` in the cache.
std::uint32_t left(const Answer& answer, std::uint32_t age_s) noexcept {
  return answer.ttl_s > age_s ? answer.ttl_s - age_s : 0;
}

ServerSet set_for(contract::NamePurpose purpose) noexcept {
  // proxy-server-nameserver and direct-nameserver are not built: their names go to the main set.
  return purpose == contract::NamePurpose::bootstrap ? ServerSet::bootstrap : ServerSet::main;
}

}  // namespace

Resolver::Part Resolver::to_part(const Answer& answer, std::uint32_t ttl_s) const {
  Part out;
  out.ttl_s = ttl_s;
  if (answer.rcode != rcode::kNoError && answer.rcode != rcode::kNameError) {
    out.error = answer.rcode == rcode::kRefused ? Errc::refused : Errc::unreachable;
    return out;
  }
  out.addresses = addresses_of(answer);
  std::erase_if(out.addresses, [this](const IpAddress& ip) { return fake_.contains(ip); });
  if (out.addresses.empty()) out.error = Errc::no_address;
  return out;
}

Task<Resolver::Part> Resolver::ask(WireName name, std::uint16_t type, ServerSet set) {
  Query query;
  query.has_question = true;
  query.question = {name, type, kClassIn};
  if (const auto hit = forwarder_.cached(query, set)) {
    Part part = to_part(*hit->answer, left(*hit->answer, hit->age_s));
    if (part.error == Errc::none || part.error == Errc::no_address) co_return std::move(part);
  }
  Task<Result<Cache::AnswerRef>> asked =
      forwarder_.ask(query, set, Until(loop_.now() + kQueryTimeout));
  const Result<Cache::AnswerRef> fresh = co_await asked;
  Part part;
  if (fresh) {
    part = to_part(**fresh, (*fresh)->ttl_s);
  } else {
    part.error = fresh.error().code;
  }
  if (part.error == Errc::none || part.error == Errc::no_address) co_return std::move(part);
  const Cache::AnswerRef old = forwarder_.stale(query, set);
  if (old != nullptr) part = to_part(*old, kStaleTtl_s);
  co_return std::move(part);
}

Task<void> Resolver::ask_into(WireName name, std::uint16_t type, ServerSet set, Beside& beside) {
  Task<Part> asked = ask(name, type, set);
  beside.part = co_await asked;
  beside.done = true;
  beside.waiter.wake_all({});
}

Task<Resolver::Part> Resolver::ask_both(WireName name, ServerSet set) {
  Beside v6(loop_);
  TaskSet tasks(loop_);  // ends before what its frame writes to
  tasks.run(ask_into(name, type::kAaaa, set, v6));
  Task<Part> asked = ask(name, type::kA, set);
  Part v4 = co_await asked;
  if (!v6.done) {
    const Millis patience = v4.addresses.empty() ? kQueryTimeout : kIpv6Patience;
    Task<Status> wait = wait_in(v6.waiter, Until(loop_.now() + patience));
    (void)co_await wait;
  }
  if (v6.part.addresses.empty()) co_return std::move(v4);
  if (v4.addresses.empty()) co_return std::move(v6.part);
  v4.addresses.insert(v4.addresses.end(), v6.part.addresses.begin(), v6.part.addresses.end());
  v4.ttl_s = std::min(v4.ttl_s, v6.part.ttl_s);
  co_return std::move(v4);
}

Task<contract::NameAnswer> Resolver::resolve(contract::NameQuery query) {
  contract::NameAnswer out;
  out.id = query.id;
  out.error = Errc::loop;
  if (query.depth > 0) co_return std::move(out);
  const auto found = hosts_->find(query.name);
  if (!found) co_return std::move(out);
  if (found->listed) {
    out.ttl_s = kHostsTtl_s;
    out.addresses = found->addresses;
    std::erase_if(out.addresses,
                  [&](const IpAddress& ip) { return ip.is_v4() ? !query.v4 : !query.v6; });
    out.error = out.addresses.empty() ? Errc::no_address : Errc::none;
    co_return std::move(out);
  }
  const auto name = WireName::from_text(found->name);
  const bool v6 = query.v6 && ipv6_;
  out.error = name ? Errc::no_address : Errc::invalid;
  if (!name || (!query.v4 && !v6)) co_return std::move(out);
  const ServerSet set = set_for(query.purpose);
  Task<Part> asked =
      query.v4 && v6 ? ask_both(*name, set) : ask(*name, query.v4 ? type::kA : type::kAaaa, set);
  Part part = co_await asked;
  out.addresses = std::move(part.addresses);
  out.ttl_s = part.ttl_s;
  out.error = part.error;
  if (!out.addresses.empty()) fake_.remember_real(query.name, out.addresses);
  co_return std::move(out);
}

}  // namespace sluice::dns
