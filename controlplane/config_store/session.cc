#include "controlplane/config_store/session.h"

#include <algorithm>
#include <utility>

#include "controlplane/config_store/atomic_file.h"
#include "controlplane/config_store/store_limits.h"
#include "proto/common/log.h"

namespace sluice::config_store {

Session::Session(std::string file, History history, LastGood last_good, FileReplacer& replacer)
    : file_(std::move(file)),
      history_(std::move(history)),
      last_good_(std::move(last_good)),
      replacer_(replacer) {}

Stored<void> Session::loaded(std::string text, std::int64_t wall_ms) {
  Stored<void> kept;
  if (!saved_.empty() && saved_ != text) kept = history_.add(saved_, wall_ms);
  const Stored<void> good = last_good_.keep(text);
  saved_ = text;
  running_ = std::move(text);
  fell_back_ = false;
  deadline_.reset();
  return kept ? good : kept;
}

void Session::fell_back(std::string text) {
  saved_ = text;
  running_ = std::move(text);
  fell_back_ = true;
  deadline_.reset();
}

Stored<void> Session::prepare(const ApplyOptions& options) const {
  if (options.once) return {};
  return replacer_.probe(file_);
}

Stored<void> Session::applied(std::string text, const ApplyOptions& options, Moment now,
                              std::int64_t wall_ms) {
  running_ = std::move(text);
  deadline_.reset();
  if (options.once) return {};
  if (options.confirm > Millis{}) {
    deadline_ = now + std::min(options.confirm, kMaxConfirm);
    return {};
  }
  return save(running_, wall_ms);
}

Stored<void> Session::confirm(std::int64_t wall_ms) {
  if (!deadline_) return store_fail(StoreFault::not_pending, file_);
  Stored<void> saved = save(running_, wall_ms);
  if (saved) deadline_.reset();
  return saved;
}

const std::string* Session::overdue(Moment now) const {
  return deadline_ && now >= *deadline_ ? &saved_ : nullptr;
}

void Session::taken_back() {
  running_ = saved_;
  deadline_.reset();
}

Stored<Restore> Session::rollback_target(std::uint32_t steps) const {
  if (unsaved() || deadline_) {
    if (steps <= 1) return Restore{saved_, 0};
    --steps;
  }
  const std::vector<Version> versions = history_.list();
  if (steps == 0 || steps > versions.size()) return store_fail(StoreFault::no_version, file_);
  const Version& version = versions[steps - 1];
  Stored<std::string> text = read_file(version.path);
  if (!text) return std::unexpected(text.error());
  return Restore{std::move(*text), version.saved_wall_ms};
}

Stored<void> Session::rolled_back(Restore target, std::int64_t wall_ms) {
  running_ = std::move(target.text);
  deadline_.reset();
  return save(running_, wall_ms);
}

/// Nothing that a person wrote is lost: the former text and a text that was edited into the file
/// behind our back both join the history before the file changes.
Stored<void> Session::save(const std::string& text, std::int64_t wall_ms) {
  const Stored<std::string> disk = read_file(file_);
  if (!saved_.empty() && saved_ != text) {
    if (Stored<void> kept = history_.add(saved_, wall_ms); !kept) return kept;
  }
  if (disk && *disk != text && *disk != saved_) {
    if (Stored<void> kept = history_.add(*disk, wall_ms); !kept) return kept;
  }
  if (!disk || *disk != text) {
    if (Stored<void> replaced = replacer_.replace(file_, text); !replaced) return replaced;
  }
  saved_ = text;
  fell_back_ = false;
  if (const Stored<void> good = last_good_.keep(text); !good)
    SLUICE_LOG(warning, "config", "saved, but not kept as the last good configuration: %s",
               describe(good.error()).c_str());
  return {};
}

}  // namespace sluice::config_store
