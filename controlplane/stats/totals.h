// stats/totals.h - what counter deltas add up to, by outbound, rule, client, host and user.
//
// Each kind holds at most kMaxKeys different keys; later ones are added under kOther, so that the
// sum of a kind stays exact and the file bounded.
//
// Owner: StatsStore. Thread: the writer's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/stats/database.h"
#include "controlplane/stats/query.h"
#include "proto/contract/counters.h"

namespace sluice::stats {

enum class TotalKind : std::uint8_t { outbound, rule, client, host, user, network };
inline constexpr std::size_t kTotalKinds = 6;
inline constexpr std::string_view kOther = "other";

class Totals {
 public:
  /// `database` must outlive it. Errors: as prepare().
  static Result<Totals> make(Database& database, std::size_t max_keys);
  /// Inside the caller's transaction. After an error, or when that transaction did not commit, call
  /// recount().
  Status add(const contract::CounterDelta& delta);
  /// Of all time, most bytes first. Errors: as Statement::step().
  [[nodiscard]] Result<std::vector<Row>> read(TotalKind kind);
  /// Reads from the file how many keys each kind has.
  Status recount();

 private:
  Totals() noexcept = default;
  Status add_to(TotalKind kind, std::string_view key, const contract::CounterDelta& delta);
  [[nodiscard]] Result<bool> update(TotalKind kind, std::string_view key,
                                    const contract::CounterDelta& delta);

  Database* database_ = nullptr;
  std::size_t max_keys_ = 0;
  Statement update_;
  Statement insert_;
  Statement count_;
  std::array<std::size_t, kTotalKinds> counts_{};
};

}  // namespace sluice::stats
