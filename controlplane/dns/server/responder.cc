#include "controlplane/dns/server/responder.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/server/local_answers.h"
#include "proto/common/log.h"

namespace sluice::dns {
namespace {

bool carries_addresses(std::uint16_t type) noexcept {
  return type == type::kA || type == type::kAaaa || type == type::kHttps || type == type::kSvcb ||
         type == type::kAny;
}

Cache::AnswerRef share(Answer answer) {
  return std::make_shared<Answer>(std::move(answer));
}

/// "a.test A"; types without a name of their own are "TYPE99", RFC 3597 section 5.
std::string text_of(const Query& query) {
  const auto name = query.question.name.to_normal();
  std::string out = name ? std::string(name->view()) : "(a name without text form)";
  switch (query.question.type) {
    case type::kA:
      return out + " A";
    case type::kAaaa:
      return out + " AAAA";
    case type::kPtr:
      return out + " PTR";
    case type::kHttps:
      return out + " HTTPS";
    default:
      return out + " TYPE" + std::to_string(query.question.type);
  }
}

void log_answer(const Query& query, const Answer& answer) {
  SLUICE_LOG(debug, "dns", "answer=%s rcode=%u records=%u ttl=%u", text_of(query).c_str(),
             unsigned{answer.rcode}, unsigned{answer.counts[0]}, answer.ttl_s);
}

void send_reply(ReplyPath& path, const Query& query, const Answer& answer, TtlPolicy ttl,
                Transport transport) {
  const std::size_t limit = reply_limit(query, transport);
  const std::size_t fixed = kHeaderSize + wire_size(query.question) + kMinReplyRoom;
  std::vector<std::byte> out(std::min(limit, fixed + answer.body.size()));
  if (out.size() < kMinReplyRoom) out.resize(kMinReplyRoom);
  out.resize(write_reply(query, answer, ttl, limit, out));
  path.send(out);
}

}  // namespace

void Responder::configure(const model::Dns& dns, const Hosts& hosts) {
  hosts_ = &hosts;
  use_hosts_ = dns.use_hosts;
  ipv6_ = dns.ipv6;
  fake_ttl_s_ = dns.fake_ip_ttl_s;
}

Responder::Now Responder::answer_now(ByteView packet, const Endpoint& from, Transport transport,
                                     ByteSpan out) {
  Now now;
  const Verdict verdict = read_query(packet, now.query);
  if (verdict == Verdict::drop) return now;
  now.outcome = Outcome::answered;
  if (verdict != Verdict::serve) {
    now.size = write_verdict(now.query, verdict, out);
    return now;
  }
  if (own_.is_asking(from)) {
    SLUICE_LOG(debug, "dns", "a query of our own came back from %s: refused",
               from.to_string().c_str());
    now.size = write_error(now.query, rcode::kRefused, out);
    return now;
  }
  const Plan next = plan(now.query);
  SLUICE_LOG(debug, "dns", "query=%s from=%s", text_of(now.query).c_str(),
             from.to_string().c_str());
  if (next.step == Plan::Step::reply) {
    log_answer(now.query, *next.answer);
    now.size =
        write_reply(now.query, *next.answer, next.ttl, reply_limit(now.query, transport), out);
  } else {
    now.outcome = Outcome::pending;
  }
  return now;
}

bool Responder::answer_later(const Query& query, Transport transport,
                             std::shared_ptr<ReplyPath> path) {
  if (tasks_.count() >= kMaxPending) return false;
  tasks_.run(work(query, transport, std::move(path)));
  return true;
}

Responder::Plan Responder::plan(const Query& query) {
  Plan out;
  out.upstream = query;
  // Names without a text form are nobody's hosts line and get no fake address: asked as they are.
  const auto asked = query.question.name.to_normal();
  if (!asked) {
    plan_cached(query, out);
    return out;
  }
  if (plan_reverse(query, asked->view(), out)) return out;
  if (use_hosts_ && plan_hosts(query, asked->view(), out)) return out;
  const auto name = out.upstream.question.name.to_normal();
  if (!name) return out;
  if (plan_fake(query, name->view(), out)) return out;
  if (query.question.type == type::kAaaa && !ipv6_) {
    out.step = Plan::Step::reply;
    out.answer = share(address_answer(query.question, out.aliases, {}, kHostsTtl_s));
    return out;
  }
  plan_cached(query, out);
  return out;
}

bool Responder::plan_reverse(const Query& query, std::string_view name, Plan& out) const {
  if (query.question.type != type::kPtr) return false;
  const auto address = address_of_ptr(name);
  if (!address) return false;
  std::string_view target = fake_.name_of(*address);
  std::uint32_t ttl_s = fake_ttl_s_;
  if (target.empty() && use_hosts_) {
    target = hosts_->name_of(*address);
    ttl_s = kHostsTtl_s;
  }
  // A pool's address that stands for no name is nobody else's business.
  if (target.empty() && !fake_.contains(*address)) return false;
  out.step = Plan::Step::reply;
  out.answer = share(target.empty() ? empty_answer(rcode::kNameError)
                                    : ptr_answer(query.question, target, ttl_s));
  return true;
}

bool Responder::plan_hosts(const Query& query, std::string_view name, Plan& out) const {
  auto found = hosts_->find(name);
  if (!found) {
    out.step = Plan::Step::reply;
    out.answer = share(empty_answer(rcode::kServerFailure));
    return true;
  }
  out.aliases = std::move(found->aliases);
  if (!out.aliases.empty()) {
    const auto last = WireName::from_text(found->name);
    if (last) out.upstream.question.name = *last;
  }
  const bool alias_asked = !out.aliases.empty() && query.question.type == type::kCname;
  if (!alias_asked && !(found->listed && carries_addresses(query.question.type))) return false;
  out.step = Plan::Step::reply;
  if (query.question.type == type::kAaaa && !ipv6_) found->addresses.clear();
  out.answer = share(address_answer(query.question, out.aliases, found->addresses, kHostsTtl_s));
  return true;
}

bool Responder::plan_fake(const Query& query, std::string_view name, Plan& out) {
  const std::uint16_t kind = query.question.type;
  if (!carries_addresses(kind) || !fake_.wants(name)) return false;
  if (!fake_.data_plane_is_ready()) {
    out.ttl.cap_s = kAwayTtl_s;
    return false;
  }
  const Family family = kind == type::kA ? Family::v4 : Family::v6;
  const bool address_asked = kind == type::kA || kind == type::kAaaa;
  out.step = Plan::Step::reply;
  if (!address_asked || !fake_.has_pool(family) || (kind == type::kAaaa && !ipv6_)) {
    out.answer = share(address_answer(query.question, out.aliases, {}, fake_ttl_s_));
    return true;
  }
  const FakeIp::Lookup found = fake_.lookup(name, family);
  if (found.state == FakeIp::State::none) {
    out.step = Plan::Step::forward;
    out.ttl.cap_s = kAwayTtl_s;
    return false;
  }
  if (found.state == FakeIp::State::waiting) out.step = Plan::Step::bind;
  out.name = name;
  out.address = found.address;
  out.answer = share(address_answer(query.question, out.aliases, {found.address}, fake_ttl_s_));
  return true;
}

void Responder::plan_cached(const Query& query, Plan& out) {
  const auto hit = forwarder_.cached(out.upstream, ServerSet::main);
  if (!hit) return;
  out.step = Plan::Step::reply;
  out.ttl.age_s = hit->age_s;
  out.answer =
      out.aliases.empty()
          ? hit->answer
          : share(alias_answer(query.question, out.aliases, out.upstream.question, *hit->answer));
}

Task<void> Responder::work(Query query, Transport transport, std::shared_ptr<ReplyPath> path) {
  Plan next = plan(query);
  if (next.step == Plan::Step::bind) {
    Task<Status> settle = fake_.settle(next.name, next.address, Until(loop_.now() + kBindTimeout));
    const Status held = co_await settle;
    next.step = held ? Plan::Step::reply : Plan::Step::forward;
    if (!held) next.ttl.cap_s = kAwayTtl_s;
  }
  if (next.step == Plan::Step::forward) {
    Task<Plan> asked = forward(query, std::move(next));
    next = co_await asked;
  }
  log_answer(query, *next.answer);
  send_reply(*path, query, *next.answer, next.ttl, transport);
}

Task<Responder::Plan> Responder::forward(Query query, Plan plan) {
  if (query.question.type == type::kAaaa && !ipv6_) {
    plan.answer = share(address_answer(query.question, plan.aliases, {}, kHostsTtl_s));
    co_return std::move(plan);
  }
  Task<Result<Cache::AnswerRef>> asked =
      forwarder_.ask(plan.upstream, ServerSet::main, Until(loop_.now() + kQueryTimeout));
  Result<Cache::AnswerRef> answer = co_await asked;
  if (!answer) {
    plan.answer = share(empty_answer(rcode::kServerFailure));
  } else if (plan.aliases.empty()) {
    plan.answer = std::move(*answer);
  } else {
    plan.answer =
        share(alias_answer(query.question, plan.aliases, plan.upstream.question, **answer));
  }
  co_return std::move(plan);
}

}  // namespace sluice::dns
