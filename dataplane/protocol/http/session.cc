#include "dataplane/protocol/http/session.h"

#include <algorithm>
#include <utility>

#include "dataplane/protocol/http/basic_auth.h"
#include "dataplane/transport/limits.h"
#include "proto/common/text.h"

namespace sluice::http {
namespace {

/// Steps of one exchange before other flows get their turn.
constexpr unsigned kStepsPerTurn = 4;

std::unexpected<Error> client_fault(Error error) noexcept {
  error.side = Side::client;
  return fail(error);
}

std::uint16_t status_for_head(const Error& error) noexcept {
  return error.code == Errc::too_large ? 431 : error.code == Errc::timeout ? 408 : 400;
}

/// RFC 9110 section 9.2.2, restricted to requests whose body need not be sent again.
bool may_repeat(std::string_view method, BodyShape body) noexcept {
  return body.kind == BodyKind::none &&
         (method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE" ||
          method == "PUT" || method == "DELETE");
}

}  // namespace

/// Waits for the first byte of the next request, and looks after the kept connections meanwhile.
Task<Status> Session::wait_for_bytes() {
  const Moment idle = now() + kClientIdle;
  while (in_.empty()) {
    kept_.sweep(now());
    wake_.reset();
    const Result<std::size_t> size = client_.read(in_, transport::kReadBudget);
    if (size) continue;
    if (size.error().code == Errc::no_room) {
      const Status rested =
          co_await transport::wait_for_slices(client_.loop(), until_.earlier(idle));
      if (!rested) co_return rested;
      continue;
    }
    if (size.error().code != Errc::again) co_return client_fault(size.error());
    const Status woken = co_await wait_for_wake(idle);
    if (!woken) co_return fail(woken.error());
  }
  co_return Status{};
}

/// Until anything happens on the client's or a kept connection, or one of these expires.
Task<Status> Session::wait_for_wake(Moment idle) {
  if (client_.queued() != 0 && client_.writable()) {
    const Status flushed = client_.flush();
    if (!flushed) co_return client_fault(flushed.error());
  }
  const Wake::Attached attached(wake_);
  wake_.attach(client_);
  kept_.attach_to(wake_);
  const Moment limit = std::min(idle, kept_.next_expiry());
  const Status woken = co_await wake_.wait(until_.earlier(limit));
  const bool expired = !woken && woken.error().code == Errc::timeout;
  if (expired && now() < idle && now() < until_.deadline) co_return Status{};
  co_return woken;
}

/// Moves head bytes from in_ to head_; true when the head is whole or can never be.
bool Session::take_head_bytes(Status& status) noexcept {
  while (!in_.empty() && !scanner_.done()) {
    const std::string_view text = as_text(in_.front());
    const auto size = scanner_.take(text);
    if (!size) {
      status = fail(size.error());
      return true;
    }
    head_ += text.substr(0, *size);
    in_.consume(*size);
  }
  return scanner_.done();
}

Task<Status> Session::read_head() {
  head_.clear();
  scanner_ = HeadScanner();
  const Until limit = until_.earlier(now() + kHeadTimeout);
  Status status;
  while (!take_head_bytes(status)) {
    const Status more = co_await transport::fill(client_, in_, limit);
    if (!more) co_return fail(more.error());
  }
  co_return status;
}

Task<Status> Session::send_reply(Reply reply) {
  const std::string text = format_reply(reply);
  const Status sent =
      co_await transport::send(client_, as_byte_view(text), until_.earlier(now() + kHeadTimeout));
  co_return sent;
}

bool Session::authenticate(const RequestHead& head, std::string& user) const {
  if (!options_.credentials.required()) return true;
  const auto field = head.fields.find("Proxy-Authorization");
  if (!field) return false;
  auto given = parse_basic(*field);
  if (!given || !options_.credentials.matches(given->user, given->password)) return false;
  user = std::move(given->user);
  return true;
}

/// What the head asks for. Errors: malformed, unsupported, too_large.
Result<Session::Request> Session::examine() {
  const auto head = parse_request_head(head_);
  if (!head) return fail(head.error());
  Request request;
  request.head = *head;
  const bool connect = head->method == "CONNECT";
  if (!connect) {
    const auto body = request_body(*head);
    if (!body) return fail(body.error());
    request.body = *body;
  }
  if (!authenticate(*head, request.user)) {
    request.kind = Kind::ask_credentials;
    return request;
  }
  if (connect) {
    auto to = parse_authority(head->target);
    if (!to) return fail(to.error());
    request.kind = Kind::tunnel;
    request.target.to = std::move(*to);
    return request;
  }
  auto target = parse_absolute(head->method, head->target);
  if (!target) return fail(target.error());
  request.target = std::move(*target);
  return request;
}

Task<Status> Session::discard_body(BodyShape body) {
  BodyReader reader(body);
  for (;;) {
    SliceQueue discarded;
    const Status taken = reader.take(in_, discarded, client_.pool());
    if (reader.done()) co_return taken;
    const Until limit = until_.earlier(now() + kHeadTimeout);
    if (taken) {
      const Status more = co_await transport::fill(client_, in_, limit);
      if (!more) co_return more;
      continue;
    }
    if (taken.error().code != Errc::no_room) co_return taken;
    discarded.clear();
    const Status rested = co_await transport::wait_for_slices(client_.loop(), limit);
    if (!rested) co_return rested;
  }
}

/// 407. The connection goes on when the request's body can be read and thrown away.
Task<Result<Session::Next>> Session::ask_credentials(const Request& request) {
  const BodyShape body = request.body;
  const bool small =
      body.kind == BodyKind::none || (body.kind == BodyKind::length && body.length <= kMaxDiscard);
  Reply reply;
  reply.status = 407;
  reply.minor = request.head.minor;
  reply.with_body = false;
  // With Expect nobody knows whether the body still comes.
  const bool expects = request.head.fields.find("Expect").has_value();
  reply.close = !small || expects || !keeps_alive(request.head);
  if (!reply.close) {
    const Status discarded = co_await discard_body(body);
    if (!discarded) co_return client_fault(discarded.error());
  }
  const Status sent = co_await send_reply(reply);
  if (!sent) co_return client_fault(sent.error());
  asked_ = true;
  if (reply.close) co_return fail(Errc::auth_failed, Side::client);
  co_return Next::request;
}

Task<Result<std::unique_ptr<HttpUpstream>>> Session::upstream_for(const Request& request,
                                                                  bool fresh, Attempt& attempt) {
  std::unique_ptr<HttpUpstream> kept;
  if (!fresh) kept = kept_.take(request.target.to, request.user, now());
  if (kept != nullptr) co_return std::move(kept);
  attempt.fresh = true;
  Task<Result<std::unique_ptr<HttpUpstream>>> dialing =
      dialer_.dial(request.target.to, request.user, until_);
  Result<std::unique_ptr<HttpUpstream>> upstream = co_await dialing;
  co_return std::move(upstream);
}

Task<Status> Session::run_exchange(Exchange& exchange, HttpUpstream& upstream) {
  Moment idle = now() + kExchangeIdle;
  unsigned steps = 0;
  const Until bound = upstream.bound(until_);
  const Wake::Attached attached(wake_);
  wake_.attach(client_);
  wake_.attach(upstream.end());
  for (;;) {
    wake_.reset();
    const bool moved = exchange.step();
    if (exchange.done() || !exchange.status()) break;
    if (moved) {
      idle = now() + kExchangeIdle;
      if (++steps < kStepsPerTurn) continue;
      wake_.again();
    }
    steps = 0;
    const bool starved = exchange.starved();
    const Moment limit = starved ? now() + transport::kPoolRetry : idle;
    const Status woken = co_await wake_.wait(bound.earlier(limit));
    if (woken || (starved && woken.error().code == Errc::timeout && now() < until_.deadline))
      continue;
    co_return fail(woken.error());
  }
  co_return exchange.status();
}

/// Keeps the upstream for the next request, or ends it and says why.
void Session::settle(const Request& request, const Exchange& exchange,
                     std::unique_ptr<HttpUpstream> upstream, const Status& status) {
  if (status && exchange.upstream_reusable() && upstream->reusable()) {
    kept_.put(std::move(upstream), request.target.to, request.user, now());
  } else {
    upstream->finish(status ? Error{} : status.error());
  }
}

Task<Session::Attempt> Session::attempt(const Request& request, const std::string& wire,
                                        bool fresh) {
  Attempt out;
  Result<std::unique_ptr<HttpUpstream>> upstream = co_await upstream_for(request, fresh, out);
  if (!upstream) {
    out.status = fail(upstream.error());
    out.undialed = true;
    co_return out;
  }
  ExchangeRequest about;
  about.method = request.head.method;
  about.body = request.body;
  about.client_minor = request.head.minor;
  about.keep_client = keeps_alive(request.head);
  about.upgrade = wants_upgrade(request.head);
  Exchange exchange(client_, in_, **upstream, about);
  out.status = exchange.start(wire);
  const Until limit = (*upstream)->bound(until_).earlier(now() + kHeadTimeout);
  while (!out.status && out.status.error().code == Errc::no_room) {
    out.status = co_await transport::wait_for_slices(client_.loop(), limit);
    if (!out.status) break;
    out.status = exchange.start(wire);
  }
  if (out.status) out.status = co_await run_exchange(exchange, **upstream);
  settle(request, exchange, std::move(*upstream), out.status);
  out.silent = exchange.silent();
  out.responded = exchange.responded();
  if (exchange.client_reusable() && !exchange.client_ended()) out.next = Next::request;
  co_return out;
}

Task<Result<Session::Next>> Session::forward(const Request& request) {
  const std::string wire = forward_request(request.head, request.target, request.body);
  Attempt last = co_await attempt(request, wire, false);
  const bool stale = !last.status && last.status.error().side != Side::client && !last.fresh &&
                     last.silent && may_repeat(request.head.method, request.body);
  if (stale) last = co_await attempt(request, wire, true);
  if (last.status) co_return last.next;
  const Result<Next> failed = co_await answer_failure(request, last);
  co_return failed;
}

/// Before anything was answered the client is told; afterwards a cut is all that can be said.
Task<Result<Session::Next>> Session::answer_failure(const Request& request,
                                                    const Attempt& attempt) {
  const Error why = attempt.status.error();
  if (why.side == Side::client || attempt.responded || why.code == Errc::cancelled) {
    // A cut must not look like an end: the client gets RST, not FIN.
    client_.abort();
    co_return fail(why);
  }
  Reply reply;
  reply.status = status_for(why);
  reply.minor = request.head.minor;
  reply.with_body = request.head.method != "HEAD";
  if (attempt.undialed) reply.detail = dialer_.refusal();
  const Status sent = co_await send_reply(reply);
  if (!sent) co_return client_fault(sent.error());
  co_return Next::close;
}

/// A request that cannot be served; what HTTP can say is said.
Task<Result<HttpOutcome>> Session::reject(Error why) {
  // Without a slice for the request there is none for the answer.
  const bool tell = why.code != Errc::closed && why.code != Errc::reset &&
                    why.code != Errc::cancelled && why.code != Errc::no_room;
  if (tell) {
    Reply reply;
    reply.status = status_for_head(why);
    (void)co_await send_reply(reply);
  }
  co_return client_fault(why);
}

/// An end between two requests is what every connection comes to.
Result<HttpOutcome> Session::ended(Error why) const noexcept {
  if (why.code != Errc::closed && why.code != Errc::timeout) return fail(why);
  if (asked_) return fail(Errc::auth_failed, Side::client);
  return HttpOutcome();
}

Task<Result<HttpOutcome>> Session::run() {
  for (bool first = true;; first = false) {
    if (!first) {
      const Status waited = co_await wait_for_bytes();
      if (!waited) co_return ended(waited.error());
    }
    const Status read = co_await read_head();
    Result<Request> request = read ? examine() : Result<Request>(fail(read.error()));
    if (!request) {
      Task<Result<HttpOutcome>> rejecting = reject(request.error());
      Result<HttpOutcome> rejected = co_await rejecting;
      co_return std::move(rejected);
    }
    if (request->kind == Kind::tunnel) {
      HttpOutcome outcome;
      outcome.tunnel = true;
      outcome.to = std::move(request->target.to);
      outcome.user = std::move(request->user);
      outcome.minor = request->head.minor;
      co_return std::move(outcome);
    }
    const bool ask = request->kind == Kind::ask_credentials;
    if (!ask) asked_ = false;
    Task<Result<Next>> handling = ask ? ask_credentials(*request) : forward(*request);
    const Result<Next> next = co_await handling;
    if (!next) co_return fail(next.error());
    if (*next == Next::close) co_return HttpOutcome();
  }
}

}  // namespace sluice::http
