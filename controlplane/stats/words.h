// stats/words.h - texts of the history as numbers, so that a row of it is some ten bytes each.
//
// Owner: History. Thread: the writer's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "controlplane/stats/database.h"

namespace sluice::stats {

class Words {
 public:
  /// `database` must outlive it. Errors of all: as prepare() and run().
  static Result<Words> make(Database& database);
  /// Inside the caller's transaction; forget() when that one did not commit.
  [[nodiscard]] Result<std::int64_t> id_of(std::string_view text);
  /// What is remembered of the file.
  void forget() noexcept { known_.clear(); }
  /// Removes texts that no row of the history uses.
  Status sweep();

 private:
  Words() noexcept = default;
  Database* database_ = nullptr;
  Statement find_;
  Statement insert_;
  std::unordered_map<std::string, std::int64_t> known_;
};

}  // namespace sluice::stats
