// config_store/session.h - what runs, what the file holds, and what waits for a confirmation.
//
//          applied{once}
//   saved ───────────────> unsaved ── rollback 1 ──> saved
//     │    applied{confirm}
//     └──────────────────> pending ── confirm ─────> saved, file written
//                             └── deadline, rollback 1, crash, power cut ──> saved, as it was
//
// An unconfirmed configuration is not in the file, so whatever ends the router also ends it. What
// is saved is then kept a second time as the last good one (a failure of that is only logged),
// which runs when the file is broken at a restart (fell_back): it then counts as saved, and the
// next text that is saved replaces the broken file. The session decides and writes; making a text
// run is the caller's work, before applied() and after overdue() and rollback_target(). Calls that
// return Stored block on the disk. Thread: one at a time. Time is a parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controlplane/config_store/file_replacer.h"
#include "controlplane/config_store/history.h"
#include "controlplane/config_store/last_good.h"
#include "controlplane/config_store/store_error.h"
#include "proto/common/clock.h"

namespace sluice::config_store {

struct ApplyOptions {
  bool once = false;  ///< leave the file alone
  Millis confirm{};   ///< 0 = none; else taken back after that long
};

/// An earlier configuration. `saved_wall_ms` is 0 when it is still what the file holds.
struct Restore {
  std::string text;
  std::int64_t saved_wall_ms = 0;
  friend bool operator==(const Restore&, const Restore&) = default;
};

class Session {
 public:
  /// `file` is absolute. `replacer` outlives the session.
  Session(std::string file, History history, LastGood last_good, FileReplacer& replacer);

  /// `text` was read from the file and runs (start, SIGHUP). What the file held before joins the
  /// history; nothing is pending any more.
  Stored<void> loaded(std::string text, std::int64_t wall_ms);

  /// The text for a start that cannot use the file. Errors: read_failed (there is none), too_large.
  [[nodiscard]] Stored<std::string> last_good() const { return last_good_.text(); }
  [[nodiscard]] const std::string& last_good_file() const noexcept { return last_good_.path(); }
  /// It runs, and the file is left as it is.
  void fell_back(std::string text);

  /// Ask before a text is made to run: would applied() be able to write? Errors as FileReplacer.
  [[nodiscard]] Stored<void> prepare(const ApplyOptions& options) const;
  /// `text` runs. Writes the file unless `options` say otherwise. On an error it runs unsaved.
  Stored<void> applied(std::string text, const ApplyOptions& options, Moment now,
                       std::int64_t wall_ms);

  /// Errors: not_pending; on a write error it stays pending.
  Stored<void> confirm(std::int64_t wall_ms);
  /// The text to go back to when the time to confirm is over; call taken_back() when it runs.
  [[nodiscard]] const std::string* overdue(Moment now) const;
  void taken_back();

  /// `steps` from 1. While something runs unsaved, 1 is what the file holds. Errors: no_version,
  /// read_failed.
  [[nodiscard]] Stored<Restore> rollback_target(std::uint32_t steps) const;
  /// The target runs. What the file held joins the history. Errors as applied().
  Stored<void> rolled_back(Restore target, std::int64_t wall_ms);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// Where the saved text stands: the file, or the last good one that stands in for it.
  [[nodiscard]] const std::string& saved_file() const noexcept {
    return fell_back_ ? last_good_.path() : file_;
  }
  [[nodiscard]] const std::string& running() const noexcept { return running_; }
  [[nodiscard]] bool unsaved() const noexcept { return running_ != saved_; }
  /// What runs is the last good text, because the file was broken when we started.
  [[nodiscard]] bool on_last_good() const noexcept { return fell_back_ && !unsaved(); }
  /// When an unconfirmed text is taken back.
  [[nodiscard]] std::optional<Moment> deadline() const noexcept { return deadline_; }

 private:
  Stored<void> save(const std::string& text, std::int64_t wall_ms);

  std::string file_;
  History history_;
  LastGood last_good_;
  FileReplacer& replacer_;
  std::string running_;
  std::string saved_;  ///< what the file held when we last read or wrote it; see fell_back()
  bool fell_back_ = false;
  std::optional<Moment> deadline_;
};

}  // namespace sluice::config_store
