#include "dataplane/outbound/happy_eyeballs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataplane/outbound/limits.h"
#include "proto/runtime/net/connect.h"

namespace sluice::outbound {
namespace {

/// One try. Reports through `changed`, which outlives it: both belong to the racing coroutine.
struct Attempt : frame_pool::Pooled {
  Task<void> task;
  Endpoint to;
  Result<Socket> outcome = fail(Errc::again);
  bool done = false;
};

Task<void> attempt(Loop& loop, DialOptions options, Until until, Attempt& self, Event& changed) {
  self.outcome = co_await connect_tcp(loop, self.to, options, until);
  self.done = true;
  changed.set();
}

using Attempts = std::vector<std::unique_ptr<Attempt>>;

void start_next(Loop& loop, const std::vector<IpAddress>& addresses, std::uint16_t port,
                const DialOptions& options, Until until, Attempts& attempts, Event& changed) {
  attempts.push_back(std::make_unique<Attempt>());
  Attempt& a = *attempts.back();
  a.to = {addresses[attempts.size() - 1], port};
  a.task = attempt(loop, options, until, a, changed);
  a.task.start();
}

struct Tally {
  Attempt* winner = nullptr;
  bool all_done = true;
  Error last{Errc::no_address, Side::upstream, 0, 0};
};

Tally count(const Attempts& attempts) {
  Tally tally;
  for (const auto& a : attempts) {
    if (!a->done) {
      tally.all_done = false;
    } else if (a->outcome) {
      if (tally.winner == nullptr) tally.winner = a.get();
    } else {
      tally.last = a->outcome.error();
    }
  }
  return tally;
}

}  // namespace

std::vector<IpAddress> order_addresses(std::span<const IpAddress> addresses,
                                       contract::IpVersion version, bool ipv6) {
  using contract::IpVersion;
  std::vector<IpAddress> v4;
  std::vector<IpAddress> v6;
  for (const IpAddress& a : addresses) {
    if (a.is_v4() && version != IpVersion::v6_only) v4.push_back(a);
    if (a.is_v6() && ipv6 && version != IpVersion::v4_only) v6.push_back(a);
  }
  const bool v6_first =
      version == IpVersion::prefer_v6 || version == IpVersion::v6_only ||
      (version == IpVersion::dual && !addresses.empty() && addresses.front().is_v6());
  const auto& first = v6_first ? v6 : v4;
  const auto& second = v6_first ? v4 : v6;
  std::vector<IpAddress> out;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) out.push_back(first[i]);
    if (i < second.size()) out.push_back(second[i]);
  }
  out.resize(std::min(out.size(), kMaxAttempts));
  return out;
}

Task<Result<Connection>> connect_any(Loop& loop, std::vector<IpAddress> addresses,
                                     std::uint16_t port, DialOptions options, bool concurrent,
                                     Until until) {
  if (addresses.empty()) co_return fail(Errc::no_address, Side::upstream);
  if (addresses.size() == 1) {
    const Endpoint to{addresses[0], port};
    Result<Socket> only = co_await connect_tcp(loop, to, options, until);
    if (!only) co_return fail(only.error());
    co_return Connection{std::move(*only), to};
  }
  Event changed(loop);
  Attempts attempts;  // destroyed before `changed`; the losers' sockets close with it
  start_next(loop, addresses, port, options, until, attempts, changed);
  for (;;) {
    const Tally tally = count(attempts);
    if (tally.winner != nullptr)
      co_return Connection{std::move(*tally.winner->outcome), tally.winner->to};
    const bool more = attempts.size() < addresses.size();
    if (tally.all_done && !more) co_return fail(tally.last);
    if (more && (tally.all_done || concurrent)) {
      start_next(loop, addresses, port, options, until, attempts, changed);
      continue;
    }
    changed.reset();
    const Until step = more ? until.earlier(loop.now() + kFallbackDelay) : until;
    const Status woke = co_await changed.wait(step);
    if (woke) continue;
    if (woke.error().code != Errc::timeout || until.deadline <= loop.now())
      co_return fail(woke.error().code, Side::upstream);
    start_next(loop, addresses, port, options, until, attempts, changed);
  }
}

}  // namespace sluice::outbound
