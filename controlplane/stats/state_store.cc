#include "controlplane/stats/state_store.h"

#include <utility>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/open_store.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::stats {
namespace {

constexpr StoreShape kShape{
    "state.db", 1, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;",
    "CREATE TABLE IF NOT EXISTS choices(grp TEXT PRIMARY KEY, member TEXT NOT NULL) WITHOUT ROWID"};

}  // namespace

StateStore::StateStore(std::string path, Writer& writer) : path_(std::move(path)), writer_(writer) {
  database_ = open_store(path_, kShape).database;
  complete_ = static_cast<bool>(database_);
  warned_ = !complete_;
  load();
}

void StateStore::load() {
  if (!database_) return;
  auto rows = database_.prepare("SELECT grp, member FROM choices ORDER BY grp");
  if (!rows) return;
  for (auto row = rows->step(); row && *row && loaded_.size() < kMaxChoices; row = rows->step()) {
    loaded_.push_back({std::string(rows->text(0)), std::string(rows->text(1))});
    now_[loaded_.back().group] = loaded_.back().member;
  }
}

Status StateStore::save(std::string_view group, std::string_view member) {
  return writer_.post([this, g = std::string(group), m = std::string(member)] { write(g, m); });
}

void StateStore::write(const std::string& group, const std::string& member) {
  if (!now_.contains(group) && now_.size() >= kMaxChoices) return;
  now_[group] = member;
  store();
}

Status StateStore::flush() {
  return writer_.post([this] {
    if (complete_ || now_.empty()) return;
    next_try_ = {};
    store();
  });
}

void StateStore::store() {
  if (!database_) reopen();
  const Status done = database_ ? write_all() : fail(Errc::not_found);
  if (done) {
    if (warned_) SLUICE_LOG(info, "stats", "state.db: choices are saved again");
    complete_ = true;
    warned_ = false;
    return;
  }
  complete_ = false;
  if (!warned_)
    SLUICE_LOG(warning, "stats", "state.db: a choice could not be saved (%s); it is kept in memory",
               describe(done.error()).c_str());
  warned_ = true;
  if (done.error().code == Errc::malformed) database_ = Database();  // set aside by the next save
}

void StateStore::reopen() {
  const Moment now = monotonic_now();
  if (now < next_try_) return;
  next_try_ = now + kRetryAfter;
  database_ = open_store(path_, kShape, true).database;
}

/// The whole table: it is small, and so nothing that failed before is missing.
Status StateStore::write_all() {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (const Status gone = database_.execute("DELETE FROM choices"); !gone) return gone;
  auto insert = database_.prepare("INSERT INTO choices(grp, member) VALUES(?1, ?2)");
  if (!insert) return fail(insert.error());
  for (const auto& [group, member] : now_) {
    insert->bind(1, std::string_view(group));
    insert->bind(2, std::string_view(member));
    if (const Status put = insert->run(); !put) return put;
  }
  return transaction->commit();
}

}  // namespace sluice::stats
