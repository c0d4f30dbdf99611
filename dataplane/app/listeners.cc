#include "dataplane/app/listeners.h"

#include <algorithm>
#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::app {
namespace {

std::string key(const std::string& name, const char* transport, unsigned worker) {
  return "listener/" + name + "/" + transport + "/" + std::to_string(worker);
}

bool has_datagrams(const contract::Listener& listener) noexcept {
  return listener.udp && listener.kind == contract::ListenerKind::tproxy;
}

bool is_transparent(contract::ListenerKind kind) noexcept {
  return kind == contract::ListenerKind::tproxy;
}

std::string bind_problem(const Endpoint& at, const Error& error) {
  if (error.code == Errc::exists)
    return at.to_string() + " is in use by another program; choose another port or stop it";
  if (error.code == Errc::denied)
    return at.to_string() +
           " needs a privilege that this process does not have: " + describe(error);
  return at.to_string() + " cannot be opened: " + describe(error);
}

Result<std::vector<UniqueFd>> duplicates(const std::vector<UniqueFd>& fds) {
  std::vector<UniqueFd> out;
  for (const UniqueFd& fd : fds) {
    auto copy = duplicate(fd.get());
    if (!copy) return fail(copy.error());
    out.push_back(std::move(*copy));
  }
  return out;
}

Result<capture::ListenerSockets> duplicates(const capture::ListenerSockets& sockets) {
  auto tcp = duplicates(sockets.tcp);
  if (!tcp) return fail(tcp.error());
  auto udp = duplicates(sockets.udp);
  if (!udp) return fail(udp.error());
  return capture::ListenerSockets{sockets.at, std::move(*tcp), std::move(*udp)};
}

}  // namespace

Result<capture::ListenerSockets> Listeners::sockets_of(const std::string& name, bool udp) const {
  capture::ListenerSockets out;
  for (unsigned w = 0; w < workers_; ++w) {
    auto stream = table_.duplicate(key(name, "tcp", w));
    if (!stream) return fail(stream.error());
    out.tcp.push_back(std::move(*stream));
    if (!udp) continue;
    auto datagrams = table_.duplicate(key(name, "udp", w));
    if (!datagrams) return fail(datagrams.error());
    out.udp.push_back(std::move(*datagrams));
  }
  return out;
}

/// The sockets that stand at this address already, or new ones.
Result<Listeners::Change> Listeners::prepare(const contract::Listener& wanted) const {
  const Endpoint at{wanted.address, wanted.port};
  Change change;
  change.name = wanted.name;
  change.kind = wanted.kind;
  change.udp = has_datagrams(wanted);
  change.ours = std::ranges::any_of(
      live_, [&](const auto& entry) { return entry.second.at.port == at.port; });
  const auto holder = std::ranges::find_if(live_, [&](const auto& entry) {
    return entry.second.at == at && (entry.second.udp || !change.udp) &&
           is_transparent(entry.second.kind) == is_transparent(wanted.kind);
  });
  change.taken_over = holder != live_.end();
  auto sockets = change.taken_over ? sockets_of(holder->first, change.udp)
                                   : capture::bind_listener(wanted, workers_, change.ours);
  if (!sockets) return fail(sockets.error());
  auto shares = duplicates(*sockets);
  if (!shares) return fail(shares.error());
  change.sockets = std::move(*sockets);
  change.sockets.at = at;
  change.shares = std::move(*shares);
  return change;
}

std::expected<Listeners::Plan, route::Refusal> Listeners::plan(
    const std::vector<contract::Listener>& wanted) const {
  Plan plan;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const contract::Listener& l = wanted[i];
    const Endpoint at{l.address, l.port};
    const auto same = live_.find(l.name);
    if (same != live_.end() && same->second.kind == l.kind && same->second.at == at &&
        same->second.udp == has_datagrams(l))
      continue;
    const std::string place = "listeners[" + std::to_string(i) + "].port";
    auto change = prepare(l);
    if (!change) return std::unexpected(route::Refusal{place, bind_problem(at, change.error())});
    change->place = place;
    plan.open.push_back(std::move(*change));
  }
  for (const auto& [name, live] : live_)
    if (std::ranges::find(wanted, name, &contract::Listener::name) == wanted.end())
      plan.close.push_back(name);
  return plan;
}

std::expected<void, route::Refusal> Listeners::open(const Plan& plan) const {
  return listen(plan, false);
}

std::expected<void, route::Refusal> Listeners::join(const Plan& plan) const {
  return listen(plan, true);
}

std::expected<void, route::Refusal> Listeners::listen(const Plan& plan, bool ours) const {
  for (const Change& change : plan.open) {
    if (change.ours != ours) continue;
    if (const Status up = capture::open_listener(change.sockets); !up)
      return std::unexpected(
          route::Refusal{change.place, bind_problem(change.sockets.at, up.error())});
  }
  return {};
}

void Listeners::hand_out(Change change) {
  const Live live{change.kind, change.sockets.at, change.udp};
  table_.remove("listener/" + change.name + "/");
  for (unsigned w = 0; w < workers_; ++w) {
    table_.put(key(change.name, "tcp", w), std::move(change.sockets.tcp[w]));
    UniqueFd udp;
    if (change.udp) {
      table_.put(key(change.name, "udp", w), std::move(change.sockets.udp[w]));
      udp = std::move(change.shares.udp[w]);
    }
    port_.open_on(w, change.kind, change.name, std::move(change.shares.tcp[w]), std::move(udp));
  }
  SLUICE_LOG(info, "listener", "%s listens on %s", change.name.c_str(),
             live.at.to_string().c_str());
  live_.insert_or_assign(change.name, live);
}

bool Listeners::quiet(const Plan& plan) const {
  bool waiting = false;
  for (const auto& [name, live] : live_) {
    const auto by_name = std::ranges::find(plan.open, name, &Change::name);
    const bool leaves =
        by_name != plan.open.end() || std::ranges::find(plan.close, name) != plan.close.end();
    const auto at_ours = [&](const Change& c) { return c.taken_over && c.sockets.at == live.at; };
    const auto port_of_ours = [&](const Change& c) {
      return !c.taken_over && c.sockets.at.port == live.at.port;
    };
    if (!leaves || std::ranges::any_of(plan.open, at_ours)) continue;
    if (std::ranges::none_of(plan.open, port_of_ours)) continue;
    for (unsigned w = 0; w < workers_; ++w) {
      const int former = table_.find(key(name, "tcp", w));
      if (const Status quieted = capture::ignore_new_clients(former); !quieted)
        SLUICE_LOG(warning, "listener", "%s may lose clients as it closes: %s", name.c_str(),
                   describe(quieted.error()).c_str());
    }
    waiting = true;
  }
  return waiting;
}

void Listeners::commit(Plan plan) {
  std::vector<Change> changes = std::move(plan.open);
  for (const std::string& name : plan.close) {
    port_.close_everywhere(name);
    table_.remove("listener/" + name + "/");
    live_.erase(name);
    SLUICE_LOG(info, "listener", "%s is closed", name.c_str());
  }
  for (Change& change : changes) hand_out(std::move(change));
}

void Listeners::close_all() {
  Plan plan;
  for (const auto& [name, live] : live_) plan.close.push_back(name);
  commit(std::move(plan));
}

std::vector<contract::ListenerState> Listeners::states() const {
  std::vector<contract::ListenerState> out;
  for (const auto& [name, live] : live_) {
    const bool socks =
        live.kind == contract::ListenerKind::mixed || live.kind == contract::ListenerKind::socks;
    out.push_back({name, live.kind, live.at.to_string(), true, live.udp || socks, {}});
  }
  return out;
}

std::vector<Endpoint> Listeners::endpoints() const {
  std::vector<Endpoint> out;
  for (const auto& [name, live] : live_) out.push_back(live.at);
  return out;
}

}  // namespace sluice::app
