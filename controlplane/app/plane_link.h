// app/plane_link.h - the data plane as home sees it: up or away, one verdict per manifest.
//
//   client's thread: push::Events ── post ──> home: PlaneSink, callbacks
//                    counters ──> stats (its writer's thread) ──> acknowledged
//
// Owner: ControlPlane. Thread: home, but for the Events, which run on the client's thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/push/client.h"
#include "controlplane/stats/stats_store.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/timer.h"

namespace sluice::control_plane {

/// What home does for the data plane. All on home.
class PlaneSink {
 public:
  /// It holds our names and an accepted manifest: fake addresses may be handed out.
  virtual void plane_served() = 0;
  virtual void plane_away() = 0;
  /// It came up and does not take what it was given; it runs on with what it had, or nothing.
  virtual void plane_refuses(const contract::Verdict& verdict) = 0;
  virtual void plane_asks(const contract::NameQuery& query,
                          push::Done<contract::NameAnswer> done) = 0;
  virtual std::vector<contract::Binding> everything_bound() = 0;
  /// Counters were committed and are being acknowledged.
  virtual void counters_committed() = 0;

 protected:
  ~PlaneSink() = default;
};

class PlaneLink final : private push::Events, private Timer {
 public:
  PlaneLink(Loop& home, PlaneSink& sink, stats::StatsStore& stats);
  PlaneLink(const PlaneLink&) = delete;
  PlaneLink& operator=(const PlaneLink&) = delete;
  ~PlaneLink() override;

  /// Connecting begins; names and stores must be ready. Once.
  void open(push::Options options);
  /// Ends the connection and joins its thread. What waits is answered with an error.
  void close();

  /// `done` once: at once when the data plane is up, else when it comes up.
  void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
             push::Done<contract::Verdict> done);

  /// Between open() and close().
  [[nodiscard]] push::DataPlaneClient* client() noexcept { return client_ ? &*client_ : nullptr; }
  [[nodiscard]] bool up() const noexcept { return up_; }
  /// As last heard; empty before the first time.
  [[nodiscard]] const contract::HelloReply& last_hello() const noexcept { return hello_; }
  /// What the data plane took last: its number there, and the compiled rules it has by it.
  struct Accepted {
    std::uint64_t generation = 0;  ///< 0: nothing yet
    contract::Digest ruleset{};
  };
  [[nodiscard]] const Accepted& accepted() const noexcept { return accepted_; }
  /// Asks anew; `done` on home, with the last known one while it is away.
  void hello(std::function<void(const contract::HelloReply&)> done);

  /// Wraps a callback so that it runs on home.
  template <class... Args, class F>
  [[nodiscard]] std::function<void(Args...)> at_home(F job) {
    return [this, job = std::make_shared<F>(std::move(job))](Args... args) {
      home_.post(make_job([job, values = std::make_tuple(
                                    std::decay_t<Args>(std::forward<Args>(args))...)]() mutable {
        std::apply([&job](auto&... value) { (*job)(std::move(value)...); }, values);
      }));
    };
  }

 private:
  // push::Events, on the client's thread.
  void up(const contract::HelloReply& hello, const contract::Verdict& verdict) override;
  void down(const std::string& reason) override;
  void resolve(const contract::NameQuery& query, push::Done<contract::NameAnswer> done) override;
  void all_bindings(push::Done<std::vector<contract::Binding>> done) override;
  void counter_cursor(push::Done<contract::CounterCursor> done) override;
  void commit(const contract::CounterBatch& batch, push::Done<bool> done) override;
  bool healthy() override;

  void came_up(contract::HelloReply hello, const contract::Verdict& verdict);
  void went_away();
  void judge(contract::Verdict verdict);
  void fire() noexcept override;

  Loop& home_;
  PlaneSink& sink_;
  stats::StatsStore& stats_;
  bool up_ = false;
  bool served_ = false;
  contract::HelloReply hello_;
  push::Done<contract::Verdict> waiting_;  ///< of an apply() without a verdict yet
  contract::Digest waiting_ruleset_{};     ///< of its manifest
  Accepted accepted_;

  std::atomic<std::int64_t> home_beat_ms_;  ///< when home last turned
  std::mutex cursor_mutex_;
  contract::CounterCursor cursor_;

  std::optional<push::DataPlaneClient> client_;  // last: its thread uses the members above
};

}  // namespace sluice::control_plane
