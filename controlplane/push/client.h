// push/client.h - the data plane as the control plane sees it: plain shapes, one object.
//
//   DataPlaneClient client(options, events);     // starts its thread
//   client.apply(manifest, blobs, done);         // remembered: applied again after each reconnect
//   client.bind(batch, done);                    // done(true): acknowledged by all workers
//
// After each (re)connect, in this order: Hello and version check; heartbeat and names; all
// bindings, replaced; the last manifest with the last choices (only blobs that are missing);
// counters. Then Events::up. So no port opens on the other side before its names and rules are
// right.
//
// Threads: one thread of its own. Every public function may be called from any thread and never
// blocks. Events and every `done` run on the client's thread and must not block it, because it
// sends the heartbeats; their own `done`s may be called from any thread, at once or later, once. A
// `done` of a call that cannot be made now runs with an error; nothing is dropped silently.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/common/log.h"
#include "proto/common/result.h"
#include "proto/contract/blob.h"
#include "proto/contract/choice.h"
#include "proto/contract/counters.h"
#include "proto/contract/explain.h"
#include "proto/contract/flow_events.h"
#include "proto/contract/memory_report.h"
#include "proto/contract/names.h"
#include "proto/contract/rules.h"
#include "proto/contract/status.h"

namespace sluice::push {

template <class... Args>
using Done = std::function<void(Args...)>;

/// What the client needs from its owner. All on the client's thread.
class Events {
 public:
  virtual ~Events() = default;
  /// The data plane is up to date and served. `verdict` is that of the last manifest that apply()
  /// got, accepted and with generation 0 when there is none yet. When it is refused, what runs is
  /// the one before, if there was one.
  virtual void up(const contract::HelloReply& hello, const contract::Verdict& verdict) = 0;
  /// It is away (also: it hangs). Alternates with up(), and starts as "away".
  virtual void down(const std::string& reason) = 0;
  /// Answer with the query's id.
  virtual void resolve(const contract::NameQuery& query, Done<contract::NameAnswer> done) = 0;
  /// Everything that is bound, for a data plane that may know nothing. Changes passed to bind()
  /// before `done` is called are taken as contained in it, so call both from one thread.
  virtual void all_bindings(Done<std::vector<contract::Binding>> done) = 0;
  /// The committed cursor, from the statistics store.
  virtual void counter_cursor(Done<contract::CounterCursor> done) = 0;
  /// Store deltas and cursor in one transaction, then done(true): only then it is acknowledged. A
  /// batch that was committed already may come again (same epoch and sequence): done(true). After
  /// done(false) the same batch comes again a little later; the connection stays.
  virtual void commit(const contract::CounterBatch& batch, Done<bool> done) = 0;
  /// False while the control plane itself hangs: heartbeats then stop. Must be cheap.
  virtual bool healthy() { return true; }
};

struct Options {
  std::string socket_path;     ///< contract.sock
  std::vector<uid_t> trusted;  ///< users whose listener is the data plane's
  std::string program;         ///< "sluice-controlplane 0.1.0"
  bool give_up_first = false;  ///< something else could run: see apply()
};

/// How an apply() ended.
struct Applied : contract::Verdict {
  /// Not judged yet: the data plane is away, and the next Events::up brings the verdict.
  bool kept = false;
};

/// Ends a stream when it is destroyed. Movable; destroyed before its client. Thread: any.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::function<void()> end) : end_(std::move(end)) {}
  Subscription(Subscription&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this == &other) return *this;
    if (end_) end_();
    end_ = std::exchange(other.end_, nullptr);
    return *this;
  }
  ~Subscription() {
    if (end_) end_();
  }

 private:
  std::function<void()> end_;
};

class DataPlaneClient {
 public:
  /// `events` outlives the client. Connecting begins at once.
  DataPlaneClient(Options options, Events& events);
  DataPlaneClient(const DataPlaneClient&) = delete;
  DataPlaneClient& operator=(const DataPlaneClient&) = delete;
  /// Ends the connection and joins the thread; open `done`s run with an error before it returns.
  ~DataPlaneClient();

  /// Remembers manifest and blobs (also when away, then `done` gets a refusal that is `kept`, and
  /// they are applied on connect) and applies them. A refused manifest is forgotten: the one before
  /// it is applied again, now and after each reconnect. One whose verdict is lost with the
  /// connection counts as refused, so that a manifest that ends the data plane is not sent to it
  /// for ever; only the first of all is sent until it is judged, or with `give_up_first` at most
  /// kFirstTries times: then it is refused at the place "configuration". Applies come one after the
  /// other.
  void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs, Done<Applied> done);
  /// Remembered as well. Errors: unreachable, not_found, timeout.
  void select(std::vector<contract::GroupChoice> choices, Done<Status> done);
  /// One change; several may travel in one batch. `number` and `replace` are set by the client.
  /// False: not acknowledged; if it was away, all_bindings() will bring it later.
  void bind(contract::BindingBatch change, Done<bool> done);

  /// Errors of all below: unreachable, timeout, malformed (the answer), system.
  void hello(Done<Result<contract::HelloReply>> done);
  void list_flows(Done<Result<std::vector<contract::FlowInfo>>> done);
  void close_flows(std::vector<std::uint64_t> ids, Done<Result<std::uint64_t>> done);
  void close_all_flows(Done<Result<std::uint64_t>> done);
  void explain(contract::ExplainQuery query, Done<Result<contract::Explanation>> done);
  /// What became of every rule line of the snapshot that runs.
  void read_rules(Done<Result<contract::RuleStates>> done);
  /// All or none; the verdict says why not. Not remembered: a data plane that comes back starts
  /// with every line on, so the owner sends it again after Events::up.
  void set_rules_disabled(contract::RuleSwitches switches, Done<Result<contract::Verdict>> done);
  void read_memory(Done<Result<contract::MemoryReport>> done);
  /// Lifts the fail-closed guard; the reason when the data plane cannot, else empty.
  void open_capture(Done<Result<std::string>> done);

  /// Taken up again after a reconnect (then with `reset`). Interval 100 ms .. 60 s.
  [[nodiscard]] Subscription watch_flows(Millis interval, Done<const contract::FlowEvents&> next);
  [[nodiscard]] Subscription watch_log(LogLevel level,
                                       Done<const std::vector<contract::LogRecord>&> next);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace sluice::push
