// stats/state_store.h - state.db: what the user chose; few bytes, written at once.
//
// Rollback journal with full synchronisation: a choice that was saved survives a power cut. While
// the file cannot be written, choices live in memory and all of them are written by the next save
// or flush that succeeds (B134).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/stats/database.h"
#include "controlplane/stats/writer.h"
#include "proto/common/clock.h"
#include "proto/contract/choice.h"

namespace sluice::stats {

class StateStore {
 public:
  /// Opens the store on the calling thread; blocks on the disk. `writer` must be stopped before
  /// this object ends.
  StateStore(std::string path, Writer& writer);
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  /// As they were at start. Errors never: a damaged store has none.
  [[nodiscard]] const std::vector<contract::GroupChoice>& choices() const noexcept {
    return loaded_;
  }
  /// Any thread. Errors: no_room, cancelled; failures of the disk are logged once and made up for
  /// later.
  Status save(std::string_view group, std::string_view member);
  /// Before the writer stops: one more attempt for what could not be saved so far.
  Status flush();

 private:
  void load();
  void write(const std::string& group, const std::string& member);
  void store();
  [[nodiscard]] Status write_all();
  void reopen();

  const std::string path_;
  Writer& writer_;
  std::vector<contract::GroupChoice> loaded_;
  // Below: the writer's thread after construction.
  Database database_;
  std::map<std::string, std::string, std::less<>> now_;
  bool complete_ = true;  // the file holds now_
  bool warned_ = false;
  Moment next_try_{};
};

}  // namespace sluice::stats
