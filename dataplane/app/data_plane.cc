#include "dataplane/app/data_plane.h"

#include <ifaddrs.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "dataplane/app/countdown.h"
#include "dataplane/app/limits.h"
#include "dataplane/app/memory_pools.h"
#include "dataplane/flow/decide.h"
#include "dataplane/flow/dial_service.h"
#include "dataplane/flow/explain.h"
#include "dataplane/flow/listener_set.h"
#include "dataplane/flow/nat.h"
#include "proto/common/clock.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::app {
namespace {

/// The user's pipe pages are 64 MiB over all processes (facts, item 8); half of them is ours.
constexpr std::size_t kPipeBytesInAll = 32U * 1024 * 1024;

constexpr char kStopping[] = "the data plane is stopping";

bool has_member(const route::Snapshot& snapshot, const contract::GroupChoice& choice) {
  const auto group = snapshot.find_outbound(choice.group);
  return group && std::ranges::any_of(snapshot.outbound(*group).members, [&](std::uint32_t m) {
           return snapshot.outbound(m).name == choice.member;
         });
}

route::FactNeeds needs_in(const SnapshotPtr& snapshot) noexcept {
  return snapshot ? snapshot->needs() : route::FactNeeds{};
}

std::uint64_t default_memory_bound() noexcept {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return 64ULL << 20U;
  return static_cast<std::uint64_t>(info.totalram) * info.mem_unit / 8;
}

/// Errors: no_descriptors, system.
Result<std::vector<IpAddress>> local_addresses() {
  std::vector<IpAddress> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return fail_errno(errno);
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    const Endpoint e = Endpoint::from_sockaddr(at->ifa_addr);
    if (e.ip.valid()) out.push_back(e.ip);
  }
  ::freeifaddrs(list);
  return out;
}

}  // namespace

/// One Apply on its way through the workers.
struct DataPlane::Application {
  SnapshotPtr former;
  SnapshotPtr next;
  Listeners::Plan listeners;
  Done<contract::Verdict> done;
};

/// A moment between two steps of an Apply.
class DataPlane::Pause final : public Timer {
 public:
  Pause(Loop& home, Moment end, std::function<void()> next) : next_(std::move(next)) {
    home.arm(*this, end);
  }

 private:
  void fire() noexcept override {
    const auto next = std::move(next_);  // may replace us
    next();
  }
  std::function<void()> next_;
};

/// Waits until no flow is left or the grace is over.
class DataPlane::Drain final : public Timer {
 public:
  Drain(DataPlane& plane, Moment end, std::function<void()> done)
      : plane_(plane), end_(end), done_(std::move(done)) {
    look_again();
  }

 private:
  void look_again() noexcept { plane_.home_.arm(*this, plane_.home_.now() + Millis{50}); }
  void fire() noexcept override {
    plane_.list_flows([this](std::vector<contract::FlowInfo> flows) {
      if (flows.empty() || closing_ >= kCloseLooks) return done_();
      if (plane_.home_.now() >= end_) close_rest();
      look_again();
    });
  }
  /// What is cancelled ends in the next turns of its loop.
  void close_rest() noexcept {
    ++closing_;
    plane_.on_every_worker(
        [](flow::Engine& engine) {
          const flow::CloseCause stopped{contract::CloseReason::stopped, "the router stops"};
          engine.nat().close_all(stopped);
          engine.flows().close({}, stopped);
        },
        [] {});
  }

  static constexpr int kCloseLooks = 10;
  DataPlane& plane_;
  Moment end_;
  std::function<void()> done_;
  int closing_ = 0;  ///< looks since the rest was closed
};

DataPlane::DataPlane(Loop& home, const DataPlaneOptions& options, flow::NameSource& names,
                     CaptureRunner& capture)
    : home_(home),
      names_(names),
      capture_(capture),
      budget_(default_memory_bound()),
      snapshots_(home),
      neighbours_(home,
                  [this](const flow::SharedNeighbours& table) {
                    on_every_worker([table](flow::Engine& engine) { engine.set_neighbours(table); },
                                    [] {});
                  }),
      process_(home, options.start_process,
               [this](flow::ProcessAnswer answer, unsigned worker) {
                 workers_[worker]->post(make_job(
                     [engine = engines_[worker].get(), answer = std::move(answer)]() mutable {
                       engine->owners().answer(std::move(answer));
                     }));
               }),
      start_wall_ms_(wall_ms()) {}

Result<std::unique_ptr<DataPlane>> DataPlane::make(Loop& home, const DataPlaneOptions& options,
                                                   flow::NameSource& names,
                                                   CaptureRunner& capture) {
  std::unique_ptr<DataPlane> plane(new DataPlane(home, options, names, capture));
  if (const Status made = plane->make_workers(options); !made) return fail(made.error());
  plane->refresh_status();
  return plane;
}

Status DataPlane::make_workers(const DataPlaneOptions& options) {
  for (unsigned i = 0; i < options.workers; ++i) {
    auto worker = Worker::make({i, kPipeBytesInAll / options.workers}, budget_, snapshots_);
    if (!worker) return fail(worker.error());
    workers_.push_back(std::move(*worker));
    totals_.push_back(std::make_unique<Totals>());
    engines_.push_back(std::make_unique<flow::Engine>(*workers_.back(), options.workers, names_,
                                                      static_cast<flow::EngineSink&>(*this)));
    engines_.back()->set_own_mark(options.own_mark);
    engines_.back()->owners().set_process_source(&process_);
  }
  listeners_ =
      std::make_unique<Listeners>(table_, static_cast<ListenerPort&>(*this), options.workers);
  return {};
}

DataPlane::~DataPlane() {
  // Engines end on their own threads: frames and slices belong there.
  for (auto& worker : workers_) worker->stop_and_join();
}

void DataPlane::start() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->start(make_job([this, i] {
      flow::Engine& engine = *engines_[i];
      engine.listeners().close_all();
      engine.worker().loop().end_roots();
      engine.report();
      engines_[i].reset();
      workers_[i]->snapshots().publish(nullptr);
    }));
  }
}

void DataPlane::serve_dial(UniqueFd listener, uid_t allowed) {
  auto shared = std::make_shared<UniqueFd>(std::move(listener));
  workers_[0]->post(make_job([engine = engines_[0].get(), shared, allowed] {
    auto service = flow::DialService::make(*engine, std::move(*shared), allowed);
    if (service) engine->keep(std::move(*service));
  }));
}

void DataPlane::ask_workers(const std::function<void(flow::Engine&)>& job,
                            std::function<void()> done) {
  const auto countdown = std::make_shared<Countdown>(workers_.size(), std::move(done));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->post(make_job([engine = engines_[i].get(), job, countdown] {
      job(*engine);
      countdown->tick();
    }));
  }
}

void DataPlane::on_every_worker(const std::function<void(flow::Engine&)>& job,
                                std::function<void()> done) {
  ask_workers(job,
              [this, done = std::move(done)]() mutable { home_.post(make_job(std::move(done))); });
}

void DataPlane::publish(const SnapshotPtr& snapshot, std::function<void()> adopted) {
  on_every_worker(
      [raw = snapshot.get()](flow::Engine& engine) { engine.worker().snapshots().publish(raw); },
      std::move(adopted));
}

void DataPlane::apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                      Done<contract::Verdict> done) {
  auto application = std::make_shared<Application>();
  application->former = snapshots_.current();
  const auto refuse = [&](std::string place, std::string reason) {
    done({false, generation_, std::move(reason), std::move(place)});
  };
  if (drain_ != nullptr) return refuse("", kStopping);
  route::BlobMap map;
  for (const contract::BlobPtr& blob : blobs) map.emplace(blob->digest, blob);
  auto built = route::build_snapshot(std::move(manifest), map, generation_ + 1,
                                     application->former.get(), worker_count());
  if (!built) return refuse(built.error().place, built.error().reason);
  application->next = SnapshotPtr(std::move(*built));
  const contract::Manifest& wanted = application->next->manifest();
  auto listeners = listeners_->plan(wanted.listeners);
  if (!listeners) return refuse(listeners.error().place, listeners.error().reason);
  std::string problem = capture_.prepare(wanted.capture, worker_count());
  if (!problem.empty()) return refuse("capture", std::move(problem));
  application->listeners = std::move(*listeners);
  application->done = std::move(done);
  applying_ = application;
  ++generation_;
  snapshots_.add(application->next, worker_count());
  update_limits(wanted);
  // Before the rules that compare them are there; those of the former ones stay until they go.
  look_for(needs_in(application->former) | needs_in(application->next));
  publish(application->next, [this, application] { engage(application); });
}

void DataPlane::engage(const std::shared_ptr<Application>& application) {
  const contract::Manifest& wanted = application->next->manifest();
  // A stop may have come meanwhile: what it withdrew must not come back.
  if (drain_ != nullptr) {
    capture_.discard();
    return roll_back(application, {"", kStopping});
  }
  // First: what this refuses leaves the capture alone.
  if (const auto opened = listeners_->open(application->listeners); !opened) {
    capture_.discard();
    return roll_back(application, opened.error());
  }
  std::string problem = capture_.engage(wanted.capture, wanted.fake_ranges, table_);
  if (!problem.empty()) return roll_back(application, {"capture", std::move(problem)});
  // Last: clients come to these ports all the time, and those that wait in a socket which is
  // dropped are reset.
  if (const auto joined = listeners_->join(application->listeners); !joined) {
    restore_capture(application->former);
    return roll_back(application, joined.error());
  }
  const bool capture_waits = capture_moves();
  if (!capture_waits) open_capture(wanted.capture.mode);
  const bool listeners_wait = listeners_->quiet(application->listeners);
  if (!capture_waits && !listeners_wait) return hand_over(application);
  // The turn began before the helper was asked.
  pause_ = std::make_unique<Pause>(home_, home_.refresh_now() + kHandOver,
                                   [this, application] { hand_over(application); });
}

void DataPlane::restore_capture(const SnapshotPtr& former) {
  const contract::Manifest none;
  const contract::Manifest& manifest = former ? former->manifest() : none;
  std::string problem = capture_.prepare(manifest.capture, worker_count());
  if (problem.empty()) problem = capture_.engage(manifest.capture, manifest.fake_ranges, table_);
  if (problem.empty()) return open_capture(manifest.capture.mode);
  SLUICE_LOG(error, "apply", "the former capture does not come back: %s", problem.c_str());
  capture_.abandon();
}

/// No client of a listener that runs has noticed: the former decisions come back.
void DataPlane::roll_back(const std::shared_ptr<Application>& application,
                          const route::Refusal& why) {
  snapshots_.add(application->former, worker_count());
  if (application->former) update_limits(application->former->manifest());
  publish(application->former, [this, application, why] {
    look_for(needs_in(application->former));
    applying_.reset();
    refresh_status();
    const std::uint64_t running = application->former ? application->former->generation() : 0;
    application->done({false, running, why.reason, why.place});
  });
}

void DataPlane::hand_over(const std::shared_ptr<Application>& application) {
  if (drain_ != nullptr) return roll_back(application, {"", kStopping});
  const contract::Manifest& wanted = application->next->manifest();
  open_capture(wanted.capture.mode);
  listeners_->commit(std::move(application->listeners));
  addresses_changed();
  look_for(needs_in(application->next));
  if (application->former) close_removed(application->former->manifest(), wanted);
  // Behind what the listeners have posted: a client that comes after the verdict meets the new
  // ones.
  on_every_worker([](flow::Engine&) {}, [this, application] { finish(application); });
}

void DataPlane::finish(const std::shared_ptr<Application>& application) {
  const contract::Manifest& wanted = application->next->manifest();
  applying_.reset();
  refresh_status();
  SLUICE_LOG(info, "apply", "generation %llu is running: %zu rules, %zu outbounds, %zu listeners",
             static_cast<unsigned long long>(application->next->generation()), wanted.rules.size(),
             wanted.outbounds.size(), wanted.listeners.size());
  application->done({true, application->next->generation(), {}, {}});
}

Status DataPlane::select(const std::vector<contract::GroupChoice>& choices) {
  std::array<SnapshotPtr, 2> snapshots{snapshots_.current(),
                                       applying_ ? applying_->former : SnapshotPtr()};
  const auto knows = [&](const contract::GroupChoice& choice) {
    return std::ranges::any_of(snapshots, [&](const SnapshotPtr& snapshot) {
      return snapshot && has_member(*snapshot, choice);
    });
  };
  if (!std::ranges::all_of(choices, knows)) return fail(Errc::not_found);
  for (const SnapshotPtr& snapshot : snapshots) {
    if (!snapshot) continue;
    for (const contract::GroupChoice& choice : choices)
      (void)snapshot->select(choice.group, choice.member);
  }
  return {};
}

std::vector<contract::GroupChoice> DataPlane::choices() const {
  std::vector<contract::GroupChoice> out;
  const SnapshotPtr snapshot = current();
  if (!snapshot) return out;
  const auto& outbounds = snapshot->manifest().outbounds;
  for (std::uint32_t i = 0; i < outbounds.size(); ++i) {
    if (outbounds[i].kind != contract::OutboundKind::select) continue;
    const std::uint32_t member = outbounds[i].members[snapshot->choice(i)];
    out.push_back({outbounds[i].name, outbounds[member].name});
  }
  return out;
}

void DataPlane::update_limits(const contract::Manifest& manifest) {
  budget_.set_bound(manifest.limits.memory != 0 ? manifest.limits.memory : default_memory_bound());
}

void DataPlane::look_for(const route::FactNeeds& needs) {
  neighbours_.want(needs.source_mac);
  process_.want(needs.process);
  on_every_worker([needs](flow::Engine& engine) { engine.set_needs(needs); }, [] {});
}

void DataPlane::share_own_endpoints() {
  auto own = std::make_shared<flow::OwnEndpoints>();
  own->listeners = listeners_->endpoints();
  for (const std::uint16_t port : capture_.ports())
    own->listeners.push_back({*IpAddress::parse("::"), port});
  own->local = addresses_;
  const std::shared_ptr<const flow::OwnEndpoints> shared = std::move(own);
  on_every_worker([shared](flow::Engine& engine) { engine.set_own_endpoints(shared); }, [] {});
}

void DataPlane::addresses_changed() {
  auto now = local_addresses();
  if (!now) return share_own_endpoints();  // not known is not gone
  std::vector<IpAddress> gone = std::exchange(addresses_, std::move(*now));
  std::erase_if(gone, [this](const IpAddress& address) {
    return std::ranges::find(addresses_, address) != addresses_.end();
  });
  share_own_endpoints();
  if (gone.empty()) return;
  on_every_worker([gone](flow::Engine& engine) { engine.flows().close_from(gone); }, [] {});
}

bool DataPlane::capture_moves() const {
  return capture_open_ && capture_.has_shares();
}

void DataPlane::open_capture(contract::CaptureMode mode) {
  if (capture_.ports().empty()) {
    // Without the owned table nothing guards the wildcard sockets.
    table_.remove("capture/");
    if (std::exchange(capture_open_, false)) close_everywhere(std::string(flow::kCaptureListener));
    return;
  }
  std::vector<CaptureShare> shares = capture_.take_shares();
  if (shares.empty()) return;
  capture_open_ = true;
  const auto kind = mode == contract::CaptureMode::tproxy ? contract::ListenerKind::tproxy
                                                          : contract::ListenerKind::redir;
  for (unsigned w = 0; w < worker_count(); ++w)
    open_on(w, kind, std::string(flow::kCaptureListener), std::move(shares[w].tcp),
            std::move(shares[w].udp));
}

void DataPlane::close_removed(const contract::Manifest& before, const contract::Manifest& after) {
  if (after.removed_flows == contract::RemovedFlows::keep) return;
  std::vector<std::string> outbounds;
  std::vector<std::string> gone;
  for (const auto& o : before.outbounds)
    if (std::ranges::find(after.outbounds, o.name, &contract::Outbound::name) ==
        after.outbounds.end())
      outbounds.push_back(o.name);
  for (const auto& l : before.listeners)
    if (std::ranges::find(after.listeners, l.name, &contract::Listener::name) ==
        after.listeners.end())
      gone.push_back(l.name);
  if (outbounds.empty() && gone.empty()) return;
  on_every_worker(
      [outbounds, gone](flow::Engine& engine) { engine.flows().close_removed(outbounds, gone); },
      [] {});
}

void DataPlane::bind_names(std::shared_ptr<const contract::BindingBatch> batch, Done<> done) {
  ask_workers([batch](flow::Engine& engine) { engine.apply_bindings(batch); }, std::move(done));
}

void DataPlane::set_reachable(bool reachable) {
  capture_.set_names_served(reachable);
  on_every_worker([reachable](flow::Engine& engine) { engine.names().set_reachable(reachable); },
                  [] {});
}

void DataPlane::answer(const contract::NameAnswer& answer, unsigned worker) {
  if (worker >= workers_.size()) return;
  workers_[worker]->post(
      make_job([engine = engines_[worker].get(), answer] { engine->names().answer(answer); }));
}

void DataPlane::take_counters(Done<std::vector<contract::CounterDelta>> done) {
  ask_workers([](flow::Engine& engine) { engine.report(); },
              [this, done = std::move(done)] { done(ledger_.take()); });
}

void DataPlane::read_memory(Done<contract::MemoryReport> done) {
  const auto sum = std::make_shared<MemorySum>();
  ask_workers([sum](flow::Engine& engine) { sum->add(memory_of(engine)); },
              [this, sum, done = std::move(done)] {
                contract::MemoryReport report = sum->take();
                report.push_back(memory_of(ledger_));
                report.insert(report.begin(), memory_of(budget_));
                done(std::move(report));
              });
}

void DataPlane::list_flows(Done<std::vector<contract::FlowInfo>> done) {
  struct Gathered {
    std::mutex mutex;
    std::vector<contract::FlowInfo> flows;
  };
  const auto all = std::make_shared<Gathered>();
  on_every_worker(
      [all](flow::Engine& engine) {
        auto mine = engine.flows().list();
        const std::lock_guard lock(all->mutex);
        std::ranges::move(mine, std::back_inserter(all->flows));
      },
      [all, done = std::move(done)] { done(std::move(all->flows)); });
}

void DataPlane::watch_flows(bool on, std::function<void(std::vector<contract::FlowInfo>)> closed) {
  on_closed_ = std::move(closed);
  on_every_worker([on](flow::Engine& engine) { engine.flows().watch(on); }, [] {});
}

void DataPlane::close_flows(std::vector<std::uint64_t> ids, bool all, Done<std::uint64_t> done) {
  if (!all && ids.empty()) return done(0);
  if (all) ids.clear();
  const auto found = std::make_shared<std::atomic<std::uint64_t>>(0);
  on_every_worker(
      [ids = std::move(ids), found](flow::Engine& engine) {
        found->fetch_add(engine.flows().close(
            ids, {contract::CloseReason::closed_by_user, "closed by the user"}));
      },
      [found, done = std::move(done)] { done(found->load()); });
}

namespace {

Task<void> explain_and_tell(flow::Engine& engine, contract::ExplainQuery query,
                            Done<contract::Explanation> done) {
  contract::Explanation explanation = co_await flow::explain(engine, std::move(query));
  done(std::move(explanation));
}

}  // namespace

void DataPlane::explain(contract::ExplainQuery query, Done<contract::Explanation> done) {
  workers_[0]->post(make_job(
      [engine = engines_[0].get(), query = std::move(query), done = std::move(done)]() mutable {
        engine->worker().loop().spawn(explain_and_tell(*engine, std::move(query), std::move(done)));
      }));
}

void DataPlane::open_on(unsigned worker, contract::ListenerKind kind, const std::string& name,
                        UniqueFd tcp, UniqueFd udp) {
  auto share = std::make_shared<flow::ListenerShare>();
  share->entrance = {kind, name};
  share->tcp = std::move(tcp);
  share->udp = std::move(udp);
  workers_[worker]->post(make_job(
      [engine = engines_[worker].get(), share] { engine->listeners().open(std::move(*share)); }));
}

void DataPlane::close_everywhere(const std::string& name) {
  on_every_worker([name](flow::Engine& engine) { engine.listeners().close(name); }, [] {});
}

void DataPlane::counted(unsigned worker, flow::EngineTotals totals,
                        std::vector<contract::CounterDelta> deltas) noexcept {
  totals_[worker]->open_flows.store(totals.open_flows, std::memory_order_relaxed);
  totals_[worker]->upload.store(totals.upload, std::memory_order_relaxed);
  totals_[worker]->download.store(totals.download, std::memory_order_relaxed);
  totals_[worker]->udp_mappings.store(totals.udp.mappings, std::memory_order_relaxed);
  totals_[worker]->udp_evicted.store(totals.udp.evicted, std::memory_order_relaxed);
  totals_[worker]->udp_dropped.store(totals.udp.dropped, std::memory_order_relaxed);
  if (!deltas.empty()) ledger_.add(std::move(deltas));
}

void DataPlane::flows_closed(std::vector<contract::FlowInfo> flows) noexcept {
  auto shared = std::make_shared<std::vector<contract::FlowInfo>>(std::move(flows));
  home_.post(make_job([this, shared] {
    if (on_closed_) on_closed_(std::move(*shared));
  }));
}

void DataPlane::refresh_status() {
  contract::HelloReply fresh;
  fresh.generation = snapshots_.current() ? snapshots_.current()->generation() : 0;
  fresh.listeners = listeners_->states();
  fresh.capture = capture_.state();
  fresh.capture_error = capture_.error();
  fresh.abilities = capture_.abilities();
  fresh.start_wall_ms = start_wall_ms_;
  const std::lock_guard lock(status_mutex_);
  status_ = std::move(fresh);
}

contract::HelloReply DataPlane::status() const {
  contract::HelloReply out;
  {
    const std::lock_guard lock(status_mutex_);
    out = status_;
  }
  for (const auto& t : totals_) {
    out.open_flows += t->open_flows.load(std::memory_order_relaxed);
    out.upload_total += t->upload.load(std::memory_order_relaxed);
    out.download_total += t->download.load(std::memory_order_relaxed);
    out.udp.mappings += t->udp_mappings.load(std::memory_order_relaxed);
    out.udp.evicted += t->udp_evicted.load(std::memory_order_relaxed);
    out.udp.dropped += t->udp_dropped.load(std::memory_order_relaxed);
  }
  out.memory_used = budget_.used();
  out.memory_bound = budget_.bound();
  return out;
}

void DataPlane::drain(Ending ending, Millis grace, std::function<void()> done) {
  if (drain_ != nullptr) return;
  if (ending == Ending::asked) {
    capture_.withdraw();
  } else {
    capture_.abandon();
  }
  listeners_->close_all();
  on_every_worker([](flow::Engine& engine) { engine.listeners().close_all(); }, [] {});
  drain_ = std::make_unique<Drain>(*this, home_.now() + grace, std::move(done));
}

}  // namespace sluice::app
