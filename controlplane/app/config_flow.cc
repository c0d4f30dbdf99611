#include "controlplane/app/config_flow.h"

#include <algorithm>
#include <memory>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

using config_store::Stored;

/// Sockets as `next` wants them, everything else as it is in `current`.
dns::DnsOptions with_sockets_of(dns::DnsOptions current, const dns::DnsOptions& next) {
  current.dns.enable = next.dns.enable;
  current.dns.listen = next.dns.listen;
  current.hijack_devices = next.hijack_devices;
  return current;
}

std::string sentence_of(const dns::ListenProblem& problem) {
  const std::string port =
      problem.transport == dns::Transport::udp ? "the UDP port" : "the TCP port";
  const std::string at =
      problem.device.empty() ? problem.at.to_string() : "device " + problem.device;
  if (problem.error.code == Errc::exists)
    return port + " of " + at + " is in use by another program; choose another one or stop it";
  return port + " of " + at + " cannot be opened: " + describe(problem.error);
}

/// A manifest's places say nothing to the user.
void locate(Refusal& refusal, const Running& refused) {
  if (!refusal.place.empty())
    refusal.in_file = refused.legend.refusal(refusal.place, refusal.reason);
}

}  // namespace

std::string Refusal::sentence() const {
  if (in_file) return in_file->to_text();
  return place.empty() ? reason : place + ": " + reason;
}

bool Refusal::is_of_text() const noexcept {
  return is_verdict() && !place.starts_with("capture");
}

ExitCode Refusal::exit_code() const noexcept {
  if (is_of_text()) return ExitCode::bad_config;
  // What the transport failed at may work at the next start.
  return is_verdict() ? ExitCode::missing_feature : ExitCode::failure;
}

ConfigFlow::ConfigFlow(Loop& home, ConfigPorts& ports, ConfigSource& source, Preparer& preparer,
                       config_store::History history, config_store::LastGood last_good)
    : home_(home),
      ports_(ports),
      source_(source),
      preparer_(preparer),
      session_(source.path(), std::move(history), std::move(last_good), source),
      wake_(home),
      tasks_(home) {
  tasks_.run(serve());
}

void ConfigFlow::queue(Step step) {
  steps_.push_back(std::move(step));
  wake_.set();
}

Task<void> ConfigFlow::serve() {
  for (;;) {
    if (!steps_.empty()) {
      Step next = std::move(steps_.front());
      steps_.pop_front();
      Task<void> step = next();
      co_await step;
      continue;
    }
    wake_.reset();
    const Moment until = confirm_by_ ? std::max(*confirm_by_, not_before_) : Moment::never();
    const Status woken = co_await wake_.wait(until);
    if (woken) continue;
    Task<void> back = take_back();
    co_await back;
  }
}

void ConfigFlow::note_session() {
  unsaved_ = session_.unsaved();
  on_last_good_ = session_.on_last_good();
  saved_file_ = session_.saved_file();
  confirm_by_ = session_.deadline();
}

std::uint32_t ConfigFlow::confirm_seconds_left() const noexcept {
  if (!confirm_by_) return 0;
  const std::int64_t left = (*confirm_by_ - home_.now()).count;
  return left <= 0 ? 0 : static_cast<std::uint32_t>((left + 999) / 1000);
}

// ---- coming into force -------------------------------------------------------------------------

std::optional<Refusal> ConfigFlow::open_sockets(const dns::DnsOptions& options) {
  std::optional<Refusal> out;
  std::vector<std::string> missing;
  for (const dns::ListenProblem& problem : ports_.serve_names(options)) {
    if (problem.device.empty()) {
      out = Refusal{"dns.listen", sentence_of(problem)};
      continue;
    }
    // A LAN device may come later; until then its queries go where they always went.
    missing.push_back(sentence_of(problem));
    // Said once, not at each try.
    if (std::ranges::find(missing_, missing.back()) == missing_.end())
      SLUICE_LOG(warning, "dns", "%s; tried again until it works", missing.back().c_str());
  }
  missing_ = std::move(missing);
  return out;
}

bool ConfigFlow::same_as_pushed(const Running& next) const {
  return running_ && ports_.data_plane_up() && running_->manifest == next.manifest &&
         pushed_ports_ == ports_.hijack_ports();
}

Task<std::optional<Refusal>> ConfigFlow::push(RunningPtr next) {
  contract::Manifest manifest = next->manifest;
  const std::vector<contract::DnsPort> ports = ports_.hijack_ports();
  manifest.capture.dns = ports;
  auto later = std::make_shared<Later<contract::Verdict>>(home_);
  ports_.push(std::move(manifest), next->blobs,
              [later](contract::Verdict verdict) { later->fill(std::move(verdict)); });
  co_await later->filled();
  contract::Verdict verdict = later->take();
  if (!verdict.accepted) co_return Refusal{std::move(verdict.place), std::move(verdict.reason)};
  generation_ = verdict.generation;
  pushed_ports_ = ports;
  co_return std::nullopt;
}

Task<std::optional<Refusal>> ConfigFlow::install(RunningPtr next) {
  const RunningPtr before = running_;
  std::optional<Refusal> refusal =
      open_sockets(before ? with_sockets_of(before->names, next->names) : next->names);
  if (!refusal && !same_as_pushed(*next)) {
    Task<std::optional<Refusal>> pushing = push(next);
    refusal = co_await pushing;
  }
  if (refusal) {
    if (before) (void)open_sockets(before->names);
    locate(*refusal, *next);
    co_return refusal;
  }
  if (before) (void)open_sockets(next->names);
  if (before && before->manifest.rules != next->manifest.rules) rules_changed_ms_ = wall_ms();
  running_ = next;
  ports_.adopted(running_);
  co_return std::nullopt;
}

void ConfigFlow::start(First first, Started done) {
  queue([this, first = std::move(first), done = std::move(done)]() mutable {
    return do_start(std::move(first), std::move(done));
  });
}

Task<void> ConfigFlow::do_start(First first, Started done) {
  std::string fault = std::move(first.broken);
  std::optional<Refusal> refusal;
  if (first.file.running) {
    ports_.starting(*first.file.running);
    Task<std::optional<Refusal>> installing = install(first.file.running);
    refusal = co_await installing;
    if (refusal && !(first.restarted && refusal->is_verdict())) {
      done(refusal);
      co_return;
    }
    if (refusal) fault = refusal->sentence();
  }
  if (!fault.empty()) {
    Refusal no_other{"configuration", fault + "; no other one is kept that could stand in"};
    if (refusal && !refusal->is_of_text()) no_other = std::move(*refusal);
    Task<std::optional<Refusal>> falling =
        fall_back(std::move(fault), std::move(first.file.text), std::move(no_other));
    refusal = co_await falling;
    done(refusal);
    co_return;
  }
  auto keep = [this, text = std::move(first.file.text)] {
    return session_.loaded(text, wall_ms());
  };
  Task<Stored<void>> keeping = on_worker(std::move(keep));
  const Stored<void> kept = co_await keeping;
  if (!kept) SLUICE_LOG(warning, "config", "%s", describe(kept.error()).c_str());
  note_session();
  done(std::nullopt);
}

/// Nothing: the last good configuration runs instead of the file, whose text `tried` has `fault`.
/// `no_other` when it is the same text, or none is kept.
Task<std::optional<Refusal>> ConfigFlow::fall_back(std::string fault, std::string tried,
                                                   Refusal no_other) {
  auto read = [this, tried = std::move(tried)] {
    const Stored<std::string> text = session_.last_good();
    // The same text again is no way out.
    if (!text || *text == tried) return Prepared{};
    return preparer_.prepare(*text, session_.last_good_file());
  };
  Task<Prepared> reading = on_worker(std::move(read));
  Prepared good = co_await reading;
  if (!good.running) co_return no_other;
  ports_.starting(*good.running);
  Task<std::optional<Refusal>> installing = install(good.running);
  std::optional<Refusal> refusal = co_await installing;
  if (refusal) {
    SLUICE_LOG(error, "config", "%s", fault.c_str());
    co_return refusal;
  }
  session_.fell_back(std::move(good.text));
  note_session();
  SLUICE_LOG(error, "config", "%s; the last good configuration runs until the file is repaired",
             fault.c_str());
  file_fault_ = std::move(fault);
  co_return std::nullopt;
}

void ConfigFlow::reload() {
  queue([this] { return do_reload(); });
}

void ConfigFlow::data_plane_is_back() {
  if (std::exchange(reload_waits_, false)) reload();
  if (std::exchange(sets_wait_, false)) sets_changed();
}

Task<void> ConfigFlow::do_reload() {
  auto read = [this] { return source_.read(); };
  Task<Stored<std::string>> reading = on_worker(std::move(read));
  Stored<std::string> text = co_await reading;
  if (!text) {
    SLUICE_LOG(error, "config", "%s; the running configuration stays",
               describe(text.error()).c_str());
    co_return;
  }
  auto work = [this, text = std::move(*text)] {
    Prepared out = preparer_.prepare(text, source_.path());
    std::vector<std::string> changes = changes_between(session_.running(), out.text);
    return std::make_pair(std::move(out), std::move(changes));
  };
  Task<std::pair<Prepared, std::vector<std::string>>> working = on_worker(std::move(work));
  auto [next, changes] = co_await working;
  log_diagnostics(next.diagnostics);
  if (!next.running) {
    SLUICE_LOG(error, "config", "the file has errors; the running configuration stays");
    co_return;
  }
  if (!ports_.data_plane_up()) {
    SLUICE_LOG(warning, "config", "the data plane is away; the file is loaded when it is back");
    reload_waits_ = true;
    co_return;
  }
  Task<std::optional<Refusal>> installing = install(next.running);
  const std::optional<Refusal> refusal = co_await installing;
  if (refusal) {
    SLUICE_LOG(error, "config", "%s; the running configuration stays", refusal->sentence().c_str());
    co_return;
  }
  auto keep = [this, text = std::move(next.text)] { return session_.loaded(text, wall_ms()); };
  Task<Stored<void>> keeping = on_worker(std::move(keep));
  const Stored<void> kept = co_await keeping;
  if (!kept) SLUICE_LOG(warning, "config", "%s", describe(kept.error()).c_str());
  note_session();
  for (const std::string& change : changes) SLUICE_LOG(info, "config", "%s", change.c_str());
  SLUICE_LOG(info, "config", "loaded: %zu changes, generation %llu", changes.size(),
             static_cast<unsigned long long>(generation_));
}

void ConfigFlow::sets_changed() {
  if (std::exchange(sets_queued_, true)) return;
  queue([this] { return do_sets_changed(); });
}

Task<void> ConfigFlow::do_sets_changed() {
  sets_queued_ = false;  // what changes from here on is seen by a compile of its own
  if (!running_) co_return;
  if (!ports_.data_plane_up()) {
    sets_wait_ = true;
    co_return;
  }
  auto work = [this, file = running_->legend.file] {
    return preparer_.prepare(session_.running(), file);
  };
  Task<Prepared> working = on_worker(std::move(work));
  const Prepared next = co_await working;
  if (!next.running) {
    SLUICE_LOG(error, "config",
               "with the new content of its sets the configuration is wrong, "
               "what ran goes on: %s",
               first_error(next.diagnostics).c_str());
    co_return;
  }
  Task<std::optional<Refusal>> installing = install(next.running);
  const std::optional<Refusal> refusal = co_await installing;
  if (refusal)
    SLUICE_LOG(error, "config", "the new content of sets is refused, what ran goes on: %s",
               refusal->sentence().c_str());
  else
    SLUICE_LOG(info, "config", "new content of sets is in force, generation %llu",
               static_cast<unsigned long long>(generation_));
}

void ConfigFlow::refresh(bool everything) {
  if (refresh_queued_) {
    refresh_queued_ = *refresh_queued_ || everything;
    return;
  }
  if (refresh_running_ && (*refresh_running_ || !everything)) return;
  refresh_queued_ = everything;
  queue([this] { return do_refresh(); });
}

Task<void> ConfigFlow::do_refresh() {
  refresh_running_ = std::exchange(refresh_queued_, std::nullopt);
  Task<void> looking = look_again(refresh_running_.value_or(false));
  co_await looking;
  refresh_running_.reset();
}

Task<void> ConfigFlow::look_again(bool everything) {
  if (!running_) co_return;
  if (devices_missing()) (void)open_sockets(running_->names);
  const bool changed = everything || pushed_ports_ != ports_.hijack_ports();
  if (!changed || !ports_.data_plane_up()) co_return;
  Task<std::optional<Refusal>> pushing = push(running_);
  std::optional<Refusal> refusal = co_await pushing;
  if (refusal) locate(*refusal, *running_);
  const std::string said = refusal ? refusal->sentence() : std::string();
  if (!said.empty() && said != refused_again_)
    SLUICE_LOG(error, "config", "the data plane refuses what runs: %s", said.c_str());
  refused_again_ = said;
}

}  // namespace sluice::control_plane
