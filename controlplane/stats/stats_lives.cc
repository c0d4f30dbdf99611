// The lives of the data plane, what is read, and where the file lives: the rest of StatsStore.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/stats_store.h"
#include "controlplane/stats/storage.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::stats {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

TotalKind kind_of(By by) noexcept {
  switch (by) {
    case By::client:
      return TotalKind::client;
    case By::outbound:
      return TotalKind::outbound;
    case By::rule:
      return TotalKind::rule;
    case By::user:
      return TotalKind::user;
    case By::network:
      return TotalKind::network;
    case By::host:
    case By::hour:
      return TotalKind::host;
  }
  return TotalKind::host;
}

void add_to(Row& row, const Row& more) noexcept {
  row.upload += more.upload;
  row.download += more.download;
  row.flows += more.flows;
}

/// What does not fit is added under "other".
void limit_rows(Report& report, std::size_t most) {
  if (report.rows.size() <= most) return;
  Row rest{.key = std::string(kOther)};
  for (std::size_t i = most - 1; i < report.rows.size(); ++i) add_to(rest, report.rows[i]);
  report.rows.resize(most - 1);
  const auto other = std::ranges::find(report.rows, kOther, &Row::key);
  if (other == report.rows.end())
    report.rows.push_back(rest);
  else
    add_to(*other, rest);
}

void add_up(Report& report) {
  for (const Row& row : report.rows) {
    report.upload += row.upload;
    report.download += row.download;
    report.flows += row.flows;
  }
}

}  // namespace

// ---- lives of the data plane -------------------------------------------------------------------

Status StatsStore::life_began(std::uint64_t epoch, std::int64_t start_wall_ms) {
  return writer_.post([this, epoch, start_wall_ms] {
    if (usable() && epoch != cursor_.epoch) after(begin_life(epoch, start_wall_ms));
    away_ms_ = 0;
  });
}

Status StatsStore::life_ended(std::int64_t wall_ms) {
  return writer_.post([this, wall_ms] { away_ms_ = wall_ms; });
}

Status StatsStore::begin_life(std::uint64_t epoch, std::int64_t start_wall_ms) {
  const auto final_epoch = number("final_epoch");
  const auto committed = number("committed_ms");
  if (!final_epoch || !committed) return fail(Errc::malformed);
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (cursor_.epoch != 0 && *final_epoch != cursor_.epoch) {
    const std::int64_t alive = away_ms_ == 0 ? 0 : away_ms_ - kMostMissing.count;
    const std::int64_t from = std::max(static_cast<std::int64_t>(*committed), alive);
    if (const Status put = add_gap(from, std::max(from, start_wall_ms)); !put) return put;
  }
  if (const Status put = set_number("epoch", epoch); !put) return put;
  if (const Status put = set_number("sequence", 0); !put) return put;
  if (const Status committed_now = transaction->commit(); !committed_now) return committed_now;
  cursor_ = {epoch, 0};
  return {};
}

Status StatsStore::add_gap(std::int64_t from, std::int64_t until) {
  auto insert = database_.prepare("INSERT INTO gaps(from_ms, until_ms) VALUES(?1, ?2)");
  if (!insert) return fail(insert.error());
  insert->bind(1, from);
  insert->bind(2, until);
  if (const Status put = insert->run(); !put) return put;
  auto trim = database_.prepare("DELETE FROM gaps WHERE id<=(SELECT max(id) FROM gaps)-?1");
  if (!trim) return fail(trim.error());
  trim->bind(1, static_cast<std::int64_t>(kMaxGaps));
  return trim->run();
}

// ---- what is read ------------------------------------------------------------------------------

Status StatsStore::read(const Query& query, std::function<void(Result<Report>)> done) {
  return writer_.post([this, query, done = std::move(done)] {
    done(usable() ? report(query) : Result<Report>(fail(Errc::not_found)));
  });
}

Result<Report> StatsStore::report(const Query& query) {
  Report out;
  const bool all_time = query.since_wall_ms == 0 && query.by != By::hour;
  if (all_time) {
    auto rows = totals_->read(kind_of(query.by));
    if (!rows) return fail(rows.error());
    out.rows = std::move(*rows);
  } else {
    auto read = history_->read(query);
    if (!read) return fail(read.error());
    out = std::move(*read);
    const auto since = number("history_since_ms");
    if (!since) return fail(since.error());
    out.since_wall_ms = std::max(query.since_wall_ms, static_cast<std::int64_t>(*since));
  }
  const std::size_t most =
      query.limit == 0 ? kMaxRows : std::min<std::size_t>(query.limit, kMaxRows);
  limit_rows(out, most);
  add_up(out);
  if (const Status added = add_gaps(query, out); !added) return fail(added.error());
  return out;
}

Status StatsStore::add_gaps(const Query& query, Report& to) {
  auto rows =
      database_.prepare("SELECT from_ms, until_ms FROM gaps WHERE until_ms>=?1 ORDER BY id");
  if (!rows) return fail(rows.error());
  rows->bind(1, query.since_wall_ms);
  for (;;) {
    const auto row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return {};
    to.gaps.push_back({rows->number(0), rows->number(1)});
  }
}

// ---- where the file lives ----------------------------------------------------------------------

Status StatsStore::configure(const Settings& settings) {
  return writer_.post([this, settings] {
    settings_ = settings;
    if (usable()) settle();
  });
}

void StatsStore::settle() {
  const bool memory =
      !files_.memory.empty() &&
      (settings_.storage == Storage::memory ||
       (settings_.storage == Storage::automatic && is_on_flash(directory_of(files_.disk))));
  if (memory == in_memory_) return;
  if (const Status moved = copy_whole(memory ? files_.memory : files_.disk); !moved) {
    SLUICE_LOG(warning, "stats", "stats.db stays where it is: %s", describe(moved.error()).c_str());
    return;
  }
  close();
  if (!memory) ::unlink(files_.memory.c_str());
  copied_ms_ = clock_();
  open();
}

/// Through a new file: whatever happens meanwhile, there is a whole one.
Status StatsStore::copy_whole(const std::string& path) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  if (const Status copied = database_.copy_to(fresh); !copied) return copied;
  for (const char* suffix : {"-wal", "-shm"}) ::unlink((path + suffix).c_str());
  if (::rename(fresh.c_str(), path.c_str()) != 0) return fail_errno(errno);
  return {};
}

void StatsStore::copy_out_if_due() {
  if (!in_memory_) return;
  const std::int64_t since = clock_() - copied_ms_;
  if (since >= 0 && since < kCopyOut.count) return;
  copied_ms_ = clock_();
  if (const Status copied = copy_whole(files_.disk); !copied)
    SLUICE_LOG(warning, "stats", "stats.db could not be copied out of memory: %s",
               describe(copied.error()).c_str());
}

Status StatsStore::copy_out() {
  return writer_.post([this] {
    copied_ms_ = 0;
    if (database_) copy_out_if_due();
  });
}

}  // namespace sluice::stats
