// stats/stats_store.h - stats.db: counters that are exact across any death, and fake-IP bindings.
//
//   ReadCounters ─> commit(batch) ─ one transaction: deltas + cursor ─> done ─> acknowledge
//
// A batch whose (epoch, sequence) the cursor has passed is acknowledged without being added: the
// data plane repeats what was not acknowledged. Write-ahead log with exclusive locking: a commit
// that `done` reported survives the death of the process; the last ones may be lost with the power,
// cursor and deltas together.
//
// Another epoch is another life of the data plane. When the former one did not say that it had
// counted everything (CounterBatch::final), the moments between are kept as a gap.
//
// On flash the file lives in the run directory, which is memory, and is copied out hourly and at a
// clean stop; it is found there again after a death of the process.
//
// Any thread may call; work and `done` run on the writer's thread, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/stats/database.h"
#include "controlplane/stats/history.h"
#include "controlplane/stats/query.h"
#include "controlplane/stats/settings.h"
#include "controlplane/stats/totals.h"
#include "controlplane/stats/writer.h"
#include "proto/common/clock.h"
#include "proto/contract/counters.h"
#include "proto/contract/names.h"

namespace sluice::stats {

/// A change of the fake-IP table. Order: replace, remove, add.
struct BindingWrite {
  bool replace = false;  ///< forget everything first
  std::vector<IpAddress> remove;
  std::vector<contract::Binding> add;  ///< oldest first
  std::uint32_t next_v4 = 0;           ///< the pools' offsets after the change
  std::uint32_t next_v6 = 0;
};

struct StoredBindings {
  std::vector<contract::Binding> bindings;  ///< oldest first
  std::uint32_t next_v4 = 0;
  std::uint32_t next_v6 = 0;
};

struct StatsFiles {
  std::string disk;    ///< in the home directory
  std::string memory;  ///< in the run directory; empty: never
};

class StatsStore {
 public:
  using Done = std::function<void(Status)>;
  using Clock = std::int64_t (*)();

  /// Opens the store on the calling thread; blocks on the disk. `writer` must be stopped before
  /// this object ends. `max_keys`: per kind of total. `clock`: wall clock in milliseconds.
  StatsStore(StatsFiles files, Writer& writer, std::size_t max_keys, Clock clock = wall_ms);
  StatsStore(const StatsStore&) = delete;
  StatsStore& operator=(const StatsStore&) = delete;

  /// As stored at start; taken once.
  [[nodiscard]] StoredBindings take_bindings() noexcept { return std::move(loaded_); }
  /// How far the counters were committed at start.
  [[nodiscard]] contract::CounterCursor cursor() const noexcept { return start_cursor_; }

  /// Errors of all calls: no_room, cancelled (not taken, `done` is not called). Errors in `done`:
  /// not_found (no store can be opened), no_room (disk full), malformed, denied, system.
  Status commit(contract::CounterBatch batch, Done done);
  /// Which data plane counts now, and since when. Without it a commit finds out by itself, later.
  Status life_began(std::uint64_t epoch, std::int64_t start_wall_ms);
  /// It went away at this moment: what it counted a second before is stored.
  Status life_ended(std::int64_t wall_ms);
  /// Moves the file to where it belongs by them.
  Status configure(const Settings& settings);
  /// `done` gets not_found while there is no store.
  Status read(const Query& query, std::function<void(Result<Report>)> done);
  /// Before a clean stop: what lives in memory is copied out.
  Status copy_out();

  Status save_bindings(BindingWrite write, Done done);
  /// For a clean stop without `store-fake-ip`. The offsets stay, so that a new life does not hand
  /// out at once what clients may still hold.
  Status clear_bindings(Done done);

 private:
  void open();
  Status prepare();
  /// Opens again when there is no store and enough time has passed.
  [[nodiscard]] bool usable();
  [[nodiscard]] Status commit_now(const contract::CounterBatch& batch);
  [[nodiscard]] Status store_batch(const contract::CounterBatch& batch);
  [[nodiscard]] Status begin_life(std::uint64_t epoch, std::int64_t start_wall_ms);
  [[nodiscard]] Status add_gap(std::int64_t from, std::int64_t until);
  [[nodiscard]] Result<Report> report(const Query& query);
  [[nodiscard]] Status add_gaps(const Query& query, Report& to);
  void close();
  void settle();
  [[nodiscard]] Status copy_whole(const std::string& path);
  void copy_out_if_due();
  [[nodiscard]] Status write_bindings(const BindingWrite& write);
  [[nodiscard]] Status set_number(std::string_view key, std::uint64_t value);
  [[nodiscard]] Result<std::uint64_t> number(std::string_view key);
  Status load_bindings();
  void after(const Status& outcome);

  const StatsFiles files_;
  Writer& writer_;
  const Clock clock_;
  const std::size_t max_keys_;
  StoredBindings loaded_;
  contract::CounterCursor start_cursor_;
  // Below: the writer's thread after construction.
  Database database_;
  bool in_memory_ = false;  ///< the open file is files_.memory
  std::int64_t copied_ms_ = 0;
  std::int64_t away_ms_ = 0;  ///< when the data plane went away; 0: it is there, or never was
  Settings settings_;
  std::optional<Totals> totals_;
  std::optional<History> history_;
  Statement set_number_;
  Statement get_number_;
  Statement add_binding_;
  Statement remove_binding_;
  contract::CounterCursor cursor_;
  bool warned_ = false;
  Moment next_try_{};
};

}  // namespace sluice::stats
