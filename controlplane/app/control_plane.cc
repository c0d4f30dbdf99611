#include "controlplane/app/control_plane.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "controlplane/stats/bounds.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/contract/choice.h"
#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/users.h"

namespace sluice::control_plane {
namespace {

constexpr char kProgram[] = "sluice-controlplane " SLUICE_VERSION;
/// How often a LAN device without a socket and a refused manifest are tried again.
constexpr Millis kHousekeeping{2'000};
/// Counters come about once a second (dataplane.proto, ReadCounters); a stop waits for one more.
constexpr Millis kLastCounters{1'100};

std::string socket_of(const Options& options, const char* directory, const char* socket) {
  return options.run_dir + "/" + directory + "/" + socket;
}

/// Whose listener is the data plane's: its own user's, or ours when one user runs all. Only root
/// can start a program as the data plane's user.
std::vector<uid_t> trusted_users() {
  std::vector<uid_t> out{::getuid()};
  if (const auto data = find_user(kDataUser)) out.push_back(data->uid);
  return out;
}

}  // namespace

ControlPlane::ControlPlane(Loop& home, const Options& options, ConfigSource& source,
                           Preparer& preparer)
    : home_(home),
      options_(options),
      preparer_(preparer),
      state_(options.home + "/state.db", writer_),
      stats_({options.home + "/stats.db", socket_of(options, kControlDirectory, "stats.db")},
             writer_, stats::kMaxKeys),
      choices_(state_),
      plane_(home, *this, stats_),
      bridge_(home, plane_, stats_),
      names_(home, bridge_),
      config_(home, *this, source, preparer, config_store::History(options.home + "/history"),
              config_store::LastGood(options.home + "/last-good.yaml")),
      rules_(config_, plane_),
      work_(home),
      sets_({home, work_, names_, preparer, socket_of(options, kDataDirectory, kDialSocket),
             [this] { config_.sets_changed(); }}),
      logs_(home, plane_),
      flows_(home, plane_, clients_),
      service_({home, config_, plane_, choices_, logs_, flows_, rules_, stats_, clients_,
                [this] { return memory(); }, [this] { return dns_ports(); },
                [this] { return sets_.report(); },
                [this](const auto& names, const auto& watcher) { sets_.update(names, watcher); },
                [this] { return sets_.empty_ones(); }, options.config}) {}

ControlPlane::~ControlPlane() {
  connections_.reset();
  server_.reset();
  end_streams();
  plane_.close();
  work_.stop();
  writer_.stop();
}

// ---- start -------------------------------------------------------------------------------------

std::optional<std::string> ControlPlane::start(First first) {
  if (auto problem = serve_management()) return problem;
  home_.arm(*this, home_.now() + kHousekeeping);
  config_.start(std::move(first),
                [this](const std::optional<Refusal>& refusal) { started(refusal); });
  return std::nullopt;
}

std::optional<std::string> ControlPlane::serve_management() {
  const std::string path = socket_of(options_, kControlDirectory, kManageSocket);
  manage::AdmitPolicy policy{::getuid(), std::nullopt};
  // Whoever else runs us, in a group of theirs, opens the router to nobody else.
  if (const auto group = find_group(kControlUser); group == ::getgid()) policy.group = *group;
  auto server = manage::Server::start(path, policy, service_);
  if (!server) {
    if (server.error().code == Errc::exists) exit_code_ = ExitCode::already_running;
    return path + (server.error().code == Errc::exists
                       ? " is served by another control plane; stop it first"
                       : " cannot be offered: " + describe(server.error()));
  }
  server_ = std::move(*server);
  UniqueFd copy(::fcntl(server_->listener(), F_DUPFD_CLOEXEC, 3));
  auto watch = Watch::make(home_, std::move(copy));
  if (!watch) return path + " cannot be watched: " + describe(watch.error());
  connections_ = std::move(*watch);
  connections_->set_sink(this);
  return std::nullopt;
}

void ControlPlane::on_ready() noexcept {
  // Without descriptors the connection stays in the backlog; housekeeping looks again.
  if (const Status taken = server_->accept_ready(); !taken)
    SLUICE_LOG(warning, "manage", "step=accept %s", describe(taken.error()).c_str());
}

void ControlPlane::started(const std::optional<Refusal>& refusal) {
  if (!refusal) {
    SLUICE_LOG(info, "start", "%s: in force, generation %llu", kProgram,
               static_cast<unsigned long long>(config_.generation()));
    return;
  }
  SLUICE_LOG(error, "start", "%s", refusal->sentence().c_str());
  exit_code_ = refusal->exit_code();
  drain();
}

// ---- what the configuration asks ---------------------------------------------------------------

void ControlPlane::starting(const Running& first) {
  logs_.set_level(first.log_level);
  account_by(first);
  choices_.set_stored(first.store_selected);
  if (first.store_selected) choices_.restore();
}

void ControlPlane::work(std::function<void()> job, std::function<void()> then) {
  work_.run(std::move(job), std::move(then));
}

std::vector<dns::ListenProblem> ControlPlane::serve_names(const dns::DnsOptions& options) {
  auto problems = names_.apply(options);
  if (!std::exchange(restored_, true)) {
    const stats::StoredBindings stored = stats_.take_bindings();
    names_.restore(stored.bindings, stored.next_v4, stored.next_v6);
  }
  return problems;
}

std::vector<contract::DnsPort> ControlPlane::hijack_ports() const {
  return names_.hijack_ports();
}

void ControlPlane::push(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                        std::function<void(contract::Verdict)> done) {
  contract::apply_choices(manifest, choices_.all());
  if (plane_.client() == nullptr) {
    // Whoever was restarted may have a last good configuration to try instead.
    plane_.open({socket_of(options_, kDataDirectory, kContractSocket), trusted_users(), kProgram,
                 options_.restarted});
    logs_.follow_plane();
  }
  plane_.apply(std::move(manifest), std::move(blobs), std::move(done));
}

void ControlPlane::adopted(const RunningPtr& running) {
  refused_ = false;
  account_by(*running);
  choices_.set_stored(running->store_selected);
  logs_.set_level(running->log_level);
  rules_.switch_again();
  sets_.follow(running);
  work_.run([this, running] { preparer_.keep_only(running->sets); }, [] {});
}

// ---- what the data plane says ------------------------------------------------------------------

void ControlPlane::plane_served() {
  refused_ = false;
  names_.data_plane_ready();
  config_.data_plane_is_back();
  rules_.switch_again();
}

void ControlPlane::plane_away() {
  names_.data_plane_away();
  flows_.end({manage::FaultKind::unavailable, "the data plane is away; try again in a moment"});
  if (draining_) finish_drain();
}

void ControlPlane::plane_refuses(const contract::Verdict& verdict) {
  if (!config_.running()) return;  // started() says it
  refused_ = true;
  const auto& legend = config_.running()->legend;
  SLUICE_LOG(error, "push", "the data plane came back and refuses what runs: %s",
             legend.refusal(verdict.place, verdict.reason).to_text().c_str());
}

void ControlPlane::plane_asks(const contract::NameQuery& query,
                              push::Done<contract::NameAnswer> done) {
  names_.resolve(query, std::move(done));
}

void ControlPlane::counters_committed() {
  if (draining_) finish_drain();
}

void ControlPlane::fire() noexcept {
  if (draining_) return finish_drain();
  if (server_) on_ready();
  if (refused_ || config_.devices_missing()) config_.refresh(refused_);
  home_.arm(*this, home_.now() + kHousekeeping);
}

void ControlPlane::account_by(const Running& running) {
  (void)stats_.configure(running.stats);
  clients_.set_leases(running.leases);
}

contract::MemoryReport ControlPlane::memory() const {
  contract::MemoryReport out = names_.memory();
  out.push_back({.name = "log-lines",
                 .used_bytes = logs_.kept_bytes(),
                 .items = logs_.kept_count(),
                 .max_items = LogHub::kKept,
                 .when_full = contract::WhenFull::evicts});
  out.push_back({.name = "store-jobs",
                 .items = writer_.waiting(),
                 .max_items = stats::kMaxJobs,
                 .when_full = contract::WhenFull::refuses});
  out.push_back({.name = "client-leases",
                 .used_bytes = clients_.lease_count() * sizeof(clients::Lease),
                 .items = clients_.lease_count(),
                 .max_items = clients::kMaxLeases,
                 .when_full = contract::WhenFull::refuses});
  return out;
}

std::vector<std::string> ControlPlane::dns_ports() const {
  std::vector<std::string> out;
  if (const auto at = names_.listen_address()) {
    out.push_back("udp " + at->to_string());
    out.push_back("tcp " + at->to_string());
  }
  for (const contract::DnsPort& port : names_.hijack_ports()) {
    out.push_back("udp " + port.device + " port " + std::to_string(port.udp));
    out.push_back("tcp " + port.device + " port " + std::to_string(port.tcp));
  }
  return out;
}

// ---- stop --------------------------------------------------------------------------------------

void ControlPlane::drain() {
  if (std::exchange(draining_, true)) return;
  end_streams();
  connections_.reset();
  server_.reset();
  if (!plane_.up() || exit_code_ != ExitCode::ok) return finish_drain();
  home_.arm(*this, home_.now() + kLastCounters);
}

void ControlPlane::end_streams() {
  const manage::Fault stopping{manage::FaultKind::unavailable, "the router is stopping"};
  logs_.end(stopping);
  flows_.end(stopping);
}

void ControlPlane::finish_drain() {
  // A start that failed says nothing about what the user wants kept.
  if (const RunningPtr& running = config_.running(); running && !running->store_fake_ip)
    (void)stats_.clear_bindings([](const Status&) {});
  (void)stats_.copy_out();
  home_.stop();
}

}  // namespace sluice::control_plane
