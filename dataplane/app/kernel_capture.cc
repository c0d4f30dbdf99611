#include "dataplane/app/kernel_capture.h"

#include <algorithm>
#include <utility>

#include "dataplane/app/limits.h"
#include "dataplane/capture/listener_sockets.h"
#include "dataplane/kernel/reserved.h"
#include "dataplane/recovery/route_note.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/privileges.h"

namespace sluice::app {
namespace {

constexpr char kNeedsRoot[] =
    "capturing LAN traffic needs root: start the router as root, or leave "
    "`sluice: capture: interfaces` empty";

bool wants_capture(const contract::Capture& wanted) noexcept {
  return !wanted.interfaces.empty() || wanted.router_traffic;
}

std::string sentence(const Error& error, const kernel::Refusal& why) {
  return why.text.empty() ? describe(error) : why.text;
}

recovery::RouteNote note_of(const kernel::RouteKeys& keys) noexcept {
  return {keys.numbers.table, keys.numbers.priority, keys.marks.mask, keys.marks.tproxy};
}

kernel::RouteKeys keys_of(const recovery::RouteNote& note) noexcept {
  kernel::RouteKeys keys{{note.table, note.priority}, {}};
  keys.marks.mask = note.mask;
  keys.marks.tproxy = note.mark;
  return keys;
}

Result<std::vector<CaptureShare>> shares_of(const capture::CaptureSockets& sockets) {
  std::vector<CaptureShare> out;
  const auto& streams = sockets.redirect.empty() ? sockets.tproxy_tcp : sockets.redirect;
  for (std::size_t w = 0; w < streams.size(); ++w) {
    auto tcp = duplicate(streams[w].get());
    auto udp = duplicate(sockets.tproxy_udp[w].get());
    if (!tcp || !udp) return fail((!tcp ? tcp : udp).error());
    out.push_back({std::move(*tcp), std::move(*udp)});
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<KernelCapture::Bell>> KernelCapture::Bell::make(
    Loop& loop, int fd, std::function<void(Watch&)> ring) {
  auto copy = duplicate(fd);
  if (!copy) return fail(copy.error());
  auto watch = Watch::make(loop, std::move(*copy));
  if (!watch) return fail(watch.error());
  std::unique_ptr<Bell> bell(new Bell(std::move(*watch), std::move(ring)));
  bell->watch_->set_sink(bell.get());
  return bell;
}

KernelCapture::KernelCapture(Loop& home, SpawnerHandle* spawner,
                             std::vector<std::uint32_t> exempt_uids, std::string run_dir)
    : home_(home),
      spawner_(spawner),
      exempt_uids_(std::move(exempt_uids)),
      run_dir_(std::move(run_dir)) {
  for (const recovery::RouteNote& n : recovery::load_routes(run_dir_)) noted_.push_back(keys_of(n));
}

KernelCapture::~KernelCapture() = default;

Result<kernel::NftHelper> KernelCapture::start_nft_helper() {
  if (!spawner_) return fail(Errc::denied);
  auto helper = spawner_->spawn(HelperKind::nft, kHelperStart);
  if (!helper) return fail(helper.error());
  SLUICE_LOG(debug, "capture", "sluice-nft runs as pid %d", static_cast<int>(helper->pid));
  tidy_ = true;
  return kernel::NftHelper{std::move(helper->socket), helper->pid};
}

std::string KernelCapture::prepare(const contract::Capture& wanted, unsigned workers) {
  stage_.reset();
  if (!wants_capture(wanted) || !spawner_ || (ports_ && ports_->mode == wanted.mode)) return {};
  auto opened = capture::open_capture_sockets(wanted.mode, workers);
  auto shares =
      opened ? shares_of(*opened) : Result<std::vector<CaptureShare>>(fail(opened.error()));
  if (!shares) return "the capture's sockets cannot be opened: " + describe(shares.error());
  const bool tproxy = wanted.mode == contract::CaptureMode::tproxy;
  stage_.emplace(Stage{{wanted.mode, tproxy ? opened->tproxy_tcp_port : opened->redirect_port,
                        std::move(opened->tproxy_udp_ports)},
                       std::move(tproxy ? opened->tproxy_tcp : opened->redirect),
                       std::move(opened->tproxy_udp),
                       std::move(*shares)});
  return {};
}

void KernelCapture::commit(Stage stage, DescriptorTable& table) {
  for (unsigned w = 0; w < stage.tcp.size(); ++w) {
    table.put(capture_key("tcp", w), std::move(stage.tcp[w]));
    table.put(capture_key("udp", w), std::move(stage.udp[w]));
  }
  ports_ = std::move(stage.ports);
  shares_ = std::move(stage.shares);
}

std::vector<CaptureShare> KernelCapture::take_shares() {
  return std::exchange(shares_, {});
}

nft::CaptureTable KernelCapture::table_for(const contract::Capture& wanted,
                                           const std::vector<Prefix>& fakes,
                                           const Ports& ports) const {
  nft::CaptureTable table;
  table.mode =
      wanted.mode == contract::CaptureMode::tproxy ? nft::Mode::tproxy : nft::Mode::redirect;
  table.dns_hijack = !wanted.dns.empty();
  table.dns_redirect = table.dns_hijack && names_served_;
  table.router_traffic = wanted.router_traffic;
  table.fail_closed = wanted.fail_closed;
  table.marks.mask = wanted.mark_mask;
  table.marks.bypass = wanted.bypass_mark;
  table.marks.tproxy = wanted.tproxy_mark;
  table.tcp_port = ports.tcp;
  table.udp_ports = ports.udp;
  for (const std::string& device : wanted.interfaces) {
    nft::LanDevice lan{device, 0, 0};
    for (const contract::DnsPort& dns : wanted.dns)
      if (dns.device == device) lan = {device, dns.udp, dns.tcp};
    table.lan.push_back(std::move(lan));
  }
  table.exempt_uids = exempt_uids_;
  table.fakes = fakes;
  table.bypass = kernel::disjoint(kernel::reserved_prefixes());
  return table;
}

std::string KernelCapture::make_owner() {
  if (owner_) return {};
  auto routes = kernel::PolicyRoutes::open();
  if (!routes) return "policy routes are not available: " + describe(routes.error());
  owner_.emplace(static_cast<kernel::HelperSource&>(*this), std::move(*routes), noted_);
  return {};
}

/// A process that is killed between two of these steps leaves nothing that is not noted.
void KernelCapture::note(std::vector<kernel::RouteKeys> keys) {
  if (keys == noted_) return;
  noted_ = std::move(keys);
  std::vector<recovery::RouteNote> notes;
  for (const kernel::RouteKeys& k : noted_) notes.push_back(note_of(k));
  if (const Status saved = recovery::save_routes(run_dir_, notes); !saved)
    SLUICE_LOG(warning, "capture", "routes of ours may stay after a crash: %s",
               describe(saved.error()).c_str());
}

std::string KernelCapture::engage(const contract::Capture& wanted, const std::vector<Prefix>& fakes,
                                  DescriptorTable& table) {
  std::optional<Stage> stage = std::exchange(stage_, std::nullopt);
  if (!wants_capture(wanted)) {
    withdraw();
    ports_.reset();
    return {};
  }
  if (!spawner_) {
    // The rest of the configuration works. The supervisor has said what does not; status says why.
    set_state(contract::CaptureState::failed, kNeedsRoot);
    return {};
  }
  if (std::string missing = make_owner(); !missing.empty()) return missing;
  const nft::CaptureTable next = table_for(wanted, fakes, stage ? stage->ports : *ports_);
  const kernel::RouteNumbers numbers{wanted.route_table, wanted.rule_priority};
  if (owner_->active() && owner_->desired() == next && owner_->numbers() == numbers) return {};
  const bool guarded = owner_->desired() && owner_->desired()->fail_closed;
  // Both are about the helper that was there, which this may replace.
  disarm();
  helper_bell_.reset();
  std::string problem = apply(next, numbers);
  if (owner_) keep_up(problem);
  if (!problem.empty()) return problem;
  if (next.fail_closed && !guarded)
    SLUICE_LOG(info, "capture",
               "`when-down: closed` is on: should the router die, no LAN traffic passes until it "
               "runs again or `sluice capture open` lifts the guard");
  if (stage) commit(std::move(*stage), table);
  return {};
}

std::string KernelCapture::apply(const nft::CaptureTable& table,
                                 const kernel::RouteNumbers& numbers) {
  const kernel::RouteKeys keys = keys_of(note_of({numbers, table.marks}));
  std::vector<kernel::RouteKeys> during = noted_;
  if (std::ranges::find(during, keys) == during.end()) during.push_back(keys);
  std::vector<kernel::RouteKeys> former;
  if (owner_->desired())
    former.push_back(keys_of(note_of({owner_->numbers(), owner_->desired()->marks})));
  note(std::move(during));
  kernel::Refusal why;
  const Status applied = owner_->apply(table, why, numbers);
  if (!applied && former.empty()) owner_.reset();  // its helper goes, a guard stays
  note(applied ? std::vector{keys} : std::move(former));
  return applied ? std::string() : sentence(applied.error(), why);
}

void KernelCapture::keep_up(std::string problem) {
  if (owner_->active()) {
    if (state_ == contract::CaptureState::failed) SLUICE_LOG(info, "capture", "capturing again");
    set_state(contract::CaptureState::on, {});
    const Status watching = watch();
    if (!watching) home_.arm(*this, home_.refresh_now() + kWatchPause);
    if (!watching && !blind_)
      SLUICE_LOG(warning, "capture", "what happens to the capture goes unseen for now: %s",
                 describe(watching.error()).c_str());
    blind_ = !watching;
    return;
  }
  if (problem != error_) SLUICE_LOG(error, "capture", "not capturing: %s", problem.c_str());
  set_state(contract::CaptureState::failed, std::move(problem));
  home_.arm(*this, home_.refresh_now() + kRecoverPause);
}

Status KernelCapture::watch() {
  if (const Status helper = watch_helper(); !helper) return helper;
  return watch_links();
}

Status KernelCapture::watch_helper() {
  if (helper_bell_) return {};
  auto bell = Bell::make(home_, owner_->helper_fd(), [this](Watch& watch) {
    // Verdicts ring it too; only the end of the helper matters here.
    if (watch.hung_up()) home_.arm(*this, home_.now());
  });
  if (!bell) return fail(bell.error());
  helper_bell_ = std::move(*bell);
  return {};
}

Status KernelCapture::watch_links() {
  if (link_bell_) return {};
  auto links = kernel::LinkWatch::open();
  if (!links) return fail(links.error());
  auto bell = Bell::make(home_, links->fd(), [this](Watch& watch) {
    watch.clear_readable();
    if (links_->drain() && owner_) (void)owner_->refresh_lan();
    if (changed_) changed_();
  });
  if (!bell) return fail(bell.error());
  links_.emplace(std::move(*links));
  link_bell_ = std::move(*bell);
  // Late: what happened until now was not heard.
  return blind_ ? owner_->refresh_lan() : Status{};
}

/// The helper ended, a try to bring it back is due, or one to watch it.
void KernelCapture::fire() noexcept {
  const bool ended = helper_bell_ && helper_bell_->hung_up();
  if (owner_ && owner_->active() && !ended) return keep_up({});
  recover();
}

void KernelCapture::recover() {
  helper_bell_.reset();
  if (!owner_ || !owner_->desired()) return;
  // One that stalled, or did not come back, was told of already.
  if (state_ != contract::CaptureState::failed)
    SLUICE_LOG(warning, "capture", "sluice-nft has ended and its table with it; starting it again");
  kernel::Refusal why;
  const Status back = owner_->recover(why);
  keep_up(back ? std::string() : sentence(back.error(), why));
  set_names_served(names_served_);
}

void KernelCapture::set_names_served(bool served) {
  names_served_ = served;
  if (!owner_ || !owner_->active()) return;
  kernel::Refusal why;
  const Status set = owner_->set_dns_redirect(served, why);
  if (set) return;
  SLUICE_LOG(warning, "capture", "the DNS redirect cannot be changed: %s",
             sentence(set.error(), why).c_str());
  if (!owner_->active()) keep_up(sentence(set.error(), why));
}

/// A run that captures nothing, or is stopped before it does, still follows one that may have been
/// killed: its guard would block the LAN for good.
void KernelCapture::forget_leftovers() {
  if (tidy_ || !spawner_) return;
  if (const std::string problem = open_guard(); !problem.empty())
    SLUICE_LOG(debug, "capture", "leftovers of earlier runs: %s", problem.c_str());
}

void KernelCapture::withdraw() {
  forget_leftovers();
  if (owner_) owner_->stop();
  abandon();
}

void KernelCapture::abandon() {
  if (owner_ && owner_->desired() && owner_->desired()->fail_closed)
    SLUICE_LOG(warning, "capture",
               "the fail-closed guard stays: no LAN traffic passes until the router runs again or "
               "`sluice capture open` lifts it");
  disarm();
  helper_bell_.reset();
  link_bell_.reset();
  links_.reset();
  shares_.clear();
  blind_ = false;
  if (owner_) {
    owner_.reset();
    note({});
  }
  if (state_ != contract::CaptureState::off) set_state(contract::CaptureState::off, {});
}

std::string KernelCapture::open_guard() {
  if (!spawner_) return "only a router that runs as root has a guard";
  if (std::string problem = make_owner(); !problem.empty()) return problem;
  kernel::Refusal why;
  const Status opened = owner_->open_guard(why);
  if (opened) return {};
  std::string problem = sentence(opened.error(), why);
  // The table went with a helper that had to be given up.
  if (owner_->desired() && !owner_->active()) keep_up(problem);
  return problem;
}

void KernelCapture::set_state(contract::CaptureState state, std::string error) {
  if (state == state_ && error == error_) return;
  state_ = state;
  error_ = std::move(error);
  if (changed_) changed_();
}

contract::Abilities KernelCapture::abilities() const {
  contract::Abilities out;
  out.transparent = (effective_caps() & cap_bit(CAP_NET_ADMIN)) != 0;
  out.nft = spawner_ != nullptr;
  if (!out.transparent)
    out.missing = "without root there is no capture, no transparent proxy and no routing mark";
  return out;
}

std::vector<std::uint16_t> KernelCapture::ports() const {
  if (!ports_) return {};
  std::vector<std::uint16_t> out = ports_->udp;
  out.push_back(ports_->tcp);
  return out;
}

}  // namespace sluice::app
