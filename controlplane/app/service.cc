#include "controlplane/app/service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "controlplane/app/client_labels.h"
#include "controlplane/app/plane_fault.h"
#include "proto/common/clock.h"

namespace sluice::control_plane {
namespace {

using manage::fault;
using manage::FaultKind;
using manage::Reply;

/// "0.1.0" of "sluice-dataplane 0.1.0".
std::string version_of(const std::string& program) {
  return program.substr(program.rfind(' ') + 1);
}

/// A Reply as something that callbacks can share.
template <class T>
auto shared(Reply<T> reply) {
  return std::make_shared<Reply<T>>(std::move(reply));
}

/// Of an explanation; more say nothing new.
constexpr std::size_t kMostEmptySets = 8;

/// A rule that names an empty set cannot match, which no step of the walk could say.
void add_empty_sets(contract::Explanation& to, const std::vector<std::string>& empty) {
  for (std::size_t i = 0; i < empty.size() && i < kMostEmptySets; ++i)
    to.steps.push_back({"set", empty[i] + "; rules that ask for it do not match", 0});
}

}  // namespace

AppService::AppService(ServiceParts parts) : parts_(std::move(parts)), start_wall_ms_(wall_ms()) {}

void AppService::version(Reply<manage::VersionReport> reply) {
  at_home([this, reply = std::move(reply)]() mutable {
    const PlaneLink& plane = parts_.plane;
    reply(manage::VersionReport{
        SLUICE_VERSION, plane.up() ? version_of(plane.last_hello().program) : std::string()});
  });
}

manage::StatusReport AppService::status_now(const contract::HelloReply& hello) const {
  manage::StatusReport out;
  out.generation = hello.generation;
  out.dataplane = {parts_.plane.up(), version_of(hello.program), hello.start_wall_ms};
  out.controlplane = {true, SLUICE_VERSION, start_wall_ms_};
  out.capture = hello.capture;
  out.capture_error = hello.capture_error;
  out.listeners = hello.listeners;
  out.open_flows = hello.open_flows;
  out.upload_total = hello.upload_total;
  out.download_total = hello.download_total;
  out.memory_used = hello.memory_used;
  out.memory_bound = hello.memory_bound;
  out.udp = hello.udp;
  out.missing = hello.abilities.missing;
  out.config_file = parts_.config_file;
  out.confirm_seconds_left = parts_.config.confirm_seconds_left();
  out.unsaved = parts_.config.unsaved();
  out.file_fault = parts_.config.file_fault();
  out.dns = parts_.dns_ports();
  if (const RunningPtr& running = parts_.config.running()) {
    out.mode = running->manifest.mode;
    out.groups = parts_.choices.report(running->manifest);
    out.unbuilt = running->legend.unbuilt;
  }
  return out;
}

void AppService::status(Reply<manage::StatusReport> reply) {
  at_home([this, answer = shared(std::move(reply))] {
    parts_.plane.hello(
        [this, answer](const contract::HelloReply& hello) { (*answer)(status_now(hello)); });
  });
}

void AppService::list_flows(Reply<manage::FlowTable> reply) {
  at_home([this, answer = shared(std::move(reply))] {
    PlaneLink& plane = parts_.plane;
    if (plane.client() == nullptr) return (*answer)(std::unexpected(plane_away()));
    plane.client()->list_flows(plane.at_home<Result<std::vector<contract::FlowInfo>>>(
        [this, answer](Result<std::vector<contract::FlowInfo>> flows) {
          if (!flows) return (*answer)(std::unexpected(plane_fault(flows.error())));
          std::ranges::sort(*flows, {}, &contract::FlowInfo::id);
          auto table = std::make_shared<std::vector<contract::FlowInfo>>(std::move(*flows));
          parts_.plane.hello([this, answer, table](const contract::HelloReply& hello) {
            auto clients = labels_of(parts_.clients, std::span<const contract::FlowInfo>(*table));
            (*answer)(manage::FlowTable{hello.upload_total, hello.download_total, std::move(*table),
                                        std::move(clients)});
          });
        }));
  });
}

void AppService::watch_flows(Millis interval, manage::WatcherPtr<manage::FlowTable> watcher) {
  at_home([this, interval, watcher = std::move(watcher)]() mutable {
    parts_.flows.watch(interval, std::move(watcher));
  });
}

void AppService::close_flows(manage::CloseQuery query, Reply<std::uint32_t> reply) {
  at_home([this, query = std::move(query), answer = shared(std::move(reply))]() mutable {
    push::DataPlaneClient* client = parts_.plane.client();
    if (client == nullptr) return (*answer)(std::unexpected(plane_away()));
    const bool all = query.all;
    auto done = [answer, all](const Result<std::uint64_t>& closed) {
      if (!closed) return (*answer)(std::unexpected(plane_fault(closed.error())));
      if (*closed == 0 && !all)
        return (*answer)(
            fault(FaultKind::not_found, "no such flow is running; `sluice flows` lists them"));
      (*answer)(static_cast<std::uint32_t>(*closed));
    };
    if (all)
      client->close_all_flows(std::move(done));
    else
      client->close_flows(std::move(query.ids), std::move(done));
  });
}

std::string AppService::place_of_rule(std::int32_t number, const std::string& list) const {
  const RunningPtr& running = parts_.config.running();
  if (!running) return {};
  const auto at = running->legend.rule(number, list);
  if (!at) return {};
  return parts_.config.running_file() + ":" + std::to_string(at->line) + ":" +
         std::to_string(at->column);
}

void AppService::explain(contract::ExplainQuery query, Reply<manage::ExplainReport> reply) {
  at_home([this, query = std::move(query), answer = shared(std::move(reply))]() mutable {
    PlaneLink& plane = parts_.plane;
    if (plane.client() == nullptr) return (*answer)(std::unexpected(plane_away()));
    auto done = [this, answer](Result<contract::Explanation> found) {
      if (!found) return (*answer)(std::unexpected(plane_fault(found.error())));
      std::string place = place_of_rule(found->index, found->rule_list);
      add_empty_sets(*found, parts_.empty_sets());
      (*answer)(manage::ExplainReport{std::move(*found), std::move(place)});
    };
    plane.client()->explain(std::move(query),
                            plane.at_home<Result<contract::Explanation>>(std::move(done)));
  });
}

void AppService::choose(const std::string& group, const std::string& name, Reply<void> reply) {
  const RunningPtr& running = parts_.config.running();
  if (!running || parts_.plane.client() == nullptr)
    return reply(fault(FaultKind::unavailable, "the router is starting; try again in a moment"));
  if (auto known = Choices::check(running->manifest, group, name); !known)
    return reply(std::move(known));
  auto done = [this, group, name, answer = shared(std::move(reply))](const Status& outcome) {
    // While the data plane is away it is told when it comes back.
    if (!outcome && outcome.error().code != Errc::unreachable)
      return (*answer)(std::unexpected(plane_fault(outcome.error())));
    parts_.choices.set(group, name);
    (*answer)({});
  };
  parts_.plane.client()->select({{group, name}}, parts_.plane.at_home<Status>(std::move(done)));
}

void AppService::select(std::string group, std::string name, Reply<void> reply) {
  at_home([this, group = std::move(group), name = std::move(name),
           reply = std::move(reply)]() mutable { choose(group, name, std::move(reply)); });
}

void AppService::config_check(manage::ConfigText config,
                              Reply<std::vector<model::Diagnostic>> reply) {
  at_home([this, config = std::move(config), reply = std::move(reply)]() mutable {
    parts_.config.check(std::move(config), std::move(reply));
  });
}

void AppService::config_diff(manage::ConfigText config, Reply<manage::DiffReport> reply) {
  at_home([this, config = std::move(config), reply = std::move(reply)]() mutable {
    parts_.config.diff(std::move(config), std::move(reply));
  });
}

void AppService::config_apply(manage::ApplyQuery query, Reply<manage::ApplyReport> reply) {
  at_home([this, query = std::move(query), reply = std::move(reply)]() mutable {
    parts_.config.apply(std::move(query), std::move(reply));
  });
}

void AppService::config_confirm(Reply<void> reply) {
  at_home([this, reply = std::move(reply)]() mutable { parts_.config.confirm(std::move(reply)); });
}

void AppService::config_rollback(std::uint32_t steps, Reply<manage::RollbackReport> reply) {
  at_home([this, steps, reply = std::move(reply)]() mutable {
    parts_.config.rollback(steps, std::move(reply));
  });
}

void AppService::capture_open(Reply<bool> reply) {
  at_home([this, answer = shared(std::move(reply))] {
    push::DataPlaneClient* client = parts_.plane.client();
    if (client == nullptr) return (*answer)(std::unexpected(plane_away()));
    const RunningPtr& running = parts_.config.running();
    const bool was_closed = running && running->manifest.capture.fail_closed;
    client->open_capture([answer, was_closed](Result<std::string> reason) {
      if (!reason) return (*answer)(std::unexpected(plane_fault(reason.error())));
      if (!reason->empty()) return (*answer)(fault(FaultKind::refused, std::move(*reason)));
      (*answer)(was_closed);
    });
  });
}

void AppService::watch_log(manage::LogQuery query, manage::WatcherPtr<manage::LogLine> watcher) {
  at_home([this, query, watcher = std::move(watcher)]() mutable {
    parts_.logs.watch(query, std::move(watcher));
  });
}

}  // namespace sluice::control_plane
