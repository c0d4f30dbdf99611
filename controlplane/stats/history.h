// stats/history.h - what was carried, by hour and by day x client x outbound x rule x host x user.
//
//   deltas ──> the hour that runs ──(it ends: top hosts stay, the rest is "other")──> hours
//   hours ──(older than keep_hours: added up by UTC day, top hosts again)──> days ──> gone
//
// Every byte is in exactly one row, so sums over a span are exact. Hours and days are of UTC: none
// is missing or twice as long when clocks change. The hour that runs takes kHostsPerHour hosts, for
// nobody knows yet which of them will be on top. A clock that jumps closes its hour early and goes
// on in the one that it names.
//
// Owner: StatsStore. Thread: the writer's. Errors of all: as Statement::step().
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "controlplane/stats/database.h"
#include "controlplane/stats/query.h"
#include "controlplane/stats/settings.h"
#include "controlplane/stats/words.h"
#include "proto/contract/counters.h"

namespace sluice::stats {

class History {
 public:
  /// `database` must outlive it, and has the tables of kHistorySchema.
  static Result<History> make(Database& database);

  /// Both inside the caller's transaction; forget() when that one did not commit.
  /// Before the deltas of a batch: ends the hour that ran if it is over.
  Status begin(std::int64_t wall_ms, const Settings& settings);
  Status add(const contract::CounterDelta& delta);
  void forget() noexcept;

  /// From `since_wall_ms` on, or of everything kept. Without gaps.
  [[nodiscard]] Result<Report> read(const Query& query);

 private:
  History() noexcept = default;
  Status switch_to(std::int64_t hour, const Settings& settings);
  Status load_hosts();
  Status fold_hours(std::int64_t before, const Settings& settings);
  Status keep_top(std::int64_t span, std::int64_t start, const Settings& settings);
  Status shrink(const Settings& settings);
  [[nodiscard]] Result<std::int64_t> oldest(std::int64_t span);
  [[nodiscard]] Result<std::int64_t> one_number(const char* sql);
  /// With numbers for ?1, ?2 ...
  Status run(const char* sql, std::initializer_list<std::int64_t> values);

  Database* database_ = nullptr;
  std::unique_ptr<Words> words_;
  Statement add_;
  std::int64_t hour_ = -1;  ///< start of the hour that runs, seconds since 1970; -1: none yet
  std::unordered_set<std::string> hosts_;  ///< of that hour
};

extern const char* const kHistorySchema;

}  // namespace sluice::stats
