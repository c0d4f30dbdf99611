#include "controlplane/app/plane_link.h"

#include <algorithm>
#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

/// Home shows that it turns as often as a heartbeat leaves (design section 1), and counts as hung
/// after three of them.
constexpr Millis kHomeBeat{250};
constexpr Millis kHomeHangs{750};

}  // namespace

PlaneLink::PlaneLink(Loop& home, PlaneSink& sink, stats::StatsStore& stats)
    : home_(home),
      sink_(sink),
      stats_(stats),
      home_beat_ms_(monotonic_now().ms),
      cursor_(stats.cursor()) {}

PlaneLink::~PlaneLink() {
  close();
}

void PlaneLink::open(push::Options options) {
  fire();
  client_.emplace(std::move(options), static_cast<push::Events&>(*this));
}

void PlaneLink::close() {
  disarm();
  waiting_ = nullptr;
  client_.reset();
}

void PlaneLink::apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
                      push::Done<contract::Verdict> done) {
  waiting_ = std::move(done);
  waiting_ruleset_ = manifest.ruleset;
  client_->apply(std::move(manifest), std::move(blobs),
                 at_home<push::Applied>([this](push::Applied end) {
                   // What is kept for a data plane that is away is judged by came_up().
                   if (!end.kept) judge(std::move(end));
                 }));
}

void PlaneLink::judge(contract::Verdict verdict) {
  const bool accepted = verdict.accepted;
  if (accepted) {
    // Without one that waits it is what was accepted before, given to it again.
    accepted_.generation = verdict.generation;
    if (waiting_) accepted_.ruleset = waiting_ruleset_;
  }
  if (auto done = std::exchange(waiting_, nullptr)) done(std::move(verdict));
  if (!accepted || served_) return;
  served_ = true;
  sink_.plane_served();
}

void PlaneLink::came_up(contract::HelloReply hello, const contract::Verdict& verdict) {
  up_ = true;
  hello_ = std::move(hello);
  (void)stats_.life_began(hello_.epoch, hello_.start_wall_ms);
  if (verdict.accepted && verdict.generation == 0) return;  // it has been given nothing yet
  judge(verdict);
  if (!verdict.accepted) sink_.plane_refuses(verdict);
}

void PlaneLink::went_away() {
  if (up_) (void)stats_.life_ended(wall_ms());
  up_ = false;
  served_ = false;
  sink_.plane_away();
}

void PlaneLink::fire() noexcept {
  home_beat_ms_.store(monotonic_now().ms, std::memory_order_relaxed);
  home_.arm(*this, home_.now() + kHomeBeat);
}

void PlaneLink::hello(std::function<void(const contract::HelloReply&)> done) {
  if (!up_) return done(hello_);
  client_->hello(at_home<Result<contract::HelloReply>>(
      [this, done = std::move(done)](Result<contract::HelloReply> reply) {
        if (reply) hello_ = std::move(*reply);
        done(hello_);
      }));
}

// ---- on the client's thread --------------------------------------------------------------------

void PlaneLink::up(const contract::HelloReply& hello, const contract::Verdict& verdict) {
  home_.post(make_job([this, hello, verdict] { came_up(hello, verdict); }));
}

void PlaneLink::down(const std::string& reason) {
  home_.post(make_job([this, reason] {
    SLUICE_LOG(debug, "push", "step=away reason=\"%s\"", reason.c_str());
    went_away();
  }));
}

void PlaneLink::resolve(const contract::NameQuery& query, push::Done<contract::NameAnswer> done) {
  home_.post(make_job([this, query, done = std::move(done)]() mutable {
    sink_.plane_asks(query, std::move(done));
  }));
}

void PlaneLink::all_bindings(push::Done<std::vector<contract::Binding>> done) {
  home_.post(make_job([this, done = std::move(done)] { done(sink_.everything_bound()); }));
}

void PlaneLink::counter_cursor(push::Done<contract::CounterCursor> done) {
  const std::lock_guard lock(cursor_mutex_);
  done(cursor_);
}

void PlaneLink::commit(const contract::CounterBatch& batch, push::Done<bool> done) {
  const contract::CounterCursor reached{batch.epoch, batch.sequence};
  const Status taken = stats_.commit(batch, [this, reached, done](const Status& outcome) {
    if (outcome) {
      const std::lock_guard lock(cursor_mutex_);
      cursor_ = reached;
    }
    done(outcome.has_value());
    home_.post(make_job([this] { sink_.counters_committed(); }));
  });
  if (!taken) done(false);
}

bool PlaneLink::healthy() {
  return monotonic_now().ms - home_beat_ms_.load(std::memory_order_relaxed) < kHomeHangs.count;
}

}  // namespace sluice::control_plane
