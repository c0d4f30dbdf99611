// stats/stats_store.h - stats.db: counters that are exact across any death, and fake-IP bindings.
//
//   ReadCounters ─> commit(batch) ─ one transaction: deltas + cursor ─> done ─> acknowledge
//
// A batch whose (epoch, sequence) the cursor has passed is acknowledged without being added: the
// data plane repeats what was not acknowledged. Write-ahead log with exclusive locking: a commit
// that `done` reported survives the death of the process; the last ones may be lost with the power,
// cursor and deltas together.
//
// Any thread may call; work and `done` run on the writer's thread, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/stats/database.h"
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

class StatsStore {
 public:
  using Done = std::function<void(Status)>;

  /// Opens the store on the calling thread; blocks on the disk. `writer` must be stopped before
  /// this object ends. `max_keys`: per kind of total.
  StatsStore(std::string path, Writer& writer, std::size_t max_keys);
  StatsStore(const StatsStore&) = delete;
  StatsStore& operator=(const StatsStore&) = delete;

  /// As stored at start; taken once.
  [[nodiscard]] StoredBindings take_bindings() noexcept { return std::move(loaded_); }
  /// How far the counters were committed at start.
  [[nodiscard]] contract::CounterCursor cursor() const noexcept { return start_cursor_; }

  /// Errors of all calls: no_room, cancelled (not taken, `done` is not called). Errors in `done`:
  /// not_found (no store can be opened), no_room (disk full), malformed, denied, system.
  Status commit(contract::CounterBatch batch, Done done);
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
  [[nodiscard]] Status write_bindings(const BindingWrite& write);
  [[nodiscard]] Status set_number(std::string_view key, std::uint64_t value);
  [[nodiscard]] Result<std::uint64_t> number(std::string_view key);
  Status load_bindings();
  void after(const Status& outcome);

  const std::string path_;
  Writer& writer_;
  const std::size_t max_keys_;
  StoredBindings loaded_;
  contract::CounterCursor start_cursor_;
  // Below: the writer's thread after construction.
  Database database_;
  std::optional<Totals> totals_;
  Statement set_number_;
  Statement get_number_;
  Statement add_binding_;
  Statement remove_binding_;
  contract::CounterCursor cursor_;
  bool warned_ = false;
  Moment next_try_{};
};

}  // namespace sluice::stats
