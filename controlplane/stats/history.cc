#include "controlplane/stats/history.h"

#include <utility>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/totals.h"

namespace sluice::stats {

const char* const kHistorySchema =
    "CREATE TABLE IF NOT EXISTS words(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS history(span INTEGER, start INTEGER, client INTEGER,"
    " outbound INTEGER, rule INTEGER, host INTEGER, user INTEGER, network INTEGER,"
    " upload INTEGER NOT NULL, download INTEGER NOT NULL, flows INTEGER NOT NULL,"
    " PRIMARY KEY(span, start, client, outbound, rule, host, user, network)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS gaps(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " from_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL);";

namespace {

constexpr std::int64_t kHour_s = 3600;
constexpr std::int64_t kDay_s = 86'400;

#define SLUICE_ADD_UP                                         \
  " ON CONFLICT DO UPDATE SET upload=upload+excluded.upload," \
  " download=download+excluded.download, flows=flows+excluded.flows"

constexpr const char* kAdd =
    "INSERT INTO history VALUES(3600, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)" SLUICE_ADD_UP;

/// ?1 hours before this second.
constexpr const char* kFold =
    "INSERT INTO history SELECT 86400, start-start%86400, client, outbound, rule, host, user, "
    "network,"
    " sum(upload), sum(download), sum(flows) FROM history WHERE span=3600 AND start<?1"
    " GROUP BY start-start%86400, client, outbound, rule, host, user, network" SLUICE_ADD_UP;

/// ?1 span, ?2 start, ?3 the word "other", ?4 hosts that stay.
#define SLUICE_NOT_ON_TOP                                                               \
  " FROM history WHERE span=?1 AND start=?2 AND host<>?3 AND host NOT IN (SELECT host " \
  "FROM history WHERE span=?1 AND start=?2 AND host<>?3 GROUP BY host"                  \
  " ORDER BY sum(upload+download) DESC, host LIMIT ?4)"

constexpr const char* kRestToOther =
    "INSERT INTO history SELECT span, start, client, outbound, rule, ?3, user, network, "
    "sum(upload),"
    " sum(download), sum(flows)" SLUICE_NOT_ON_TOP
    " GROUP BY client, outbound, rule, user, network" SLUICE_ADD_UP;
constexpr const char* kDropRest = "DELETE" SLUICE_NOT_ON_TOP;

#undef SLUICE_NOT_ON_TOP
#undef SLUICE_ADD_UP

constexpr std::int64_t floor_to(std::int64_t second, std::int64_t span) noexcept {
  return second - ((second % span) + span) % span;
}

/// The column of the history that a question groups by.
constexpr const char* column_of(By by) noexcept {
  switch (by) {
    case By::client:
      return "client";
    case By::host:
      return "host";
    case By::outbound:
      return "outbound";
    case By::rule:
      return "rule";
    case By::user:
      return "user";
    case By::network:
      return "network";
    case By::hour:
      return "start";
  }
  return "host";
}

std::string sql_of(By by) {
  const std::string column = column_of(by);
  const bool plain = by == By::hour || by == By::network;
  const std::string key = plain ? column : "(SELECT text FROM words WHERE id=" + column + ")";
  return "SELECT " + key + ", sum(upload), sum(download), sum(flows) FROM history" +
         " WHERE (span=3600 AND start>=?1) OR (span=86400 AND start>=?2) GROUP BY " + column +
         (by == By::hour ? " ORDER BY start" : " ORDER BY sum(upload+download) DESC, 1");
}

std::uint64_t whole(std::int64_t stored) noexcept {
  return static_cast<std::uint64_t>(stored);
}

}  // namespace

Result<History> History::make(Database& database) {
  History out;
  out.database_ = &database;
  auto words = Words::make(database);
  if (!words) return fail(words.error());
  out.words_ = std::make_unique<Words>(std::move(*words));
  auto add = database.prepare(kAdd);
  if (!add) return fail(add.error());
  out.add_ = std::move(*add);
  return out;
}

void History::forget() noexcept {
  words_->forget();
  hosts_.clear();
  hour_ = -1;
}

Status History::begin(std::int64_t wall_ms, const Settings& settings) {
  const std::int64_t hour = floor_to(wall_ms / 1000, kHour_s);
  return hour == hour_ ? Status() : switch_to(hour, settings);
}

Status History::switch_to(std::int64_t hour, const Settings& settings) {
  const std::int64_t ended = std::exchange(hour_, hour);
  if (ended >= 0) {
    if (const Status kept = keep_top(kHour_s, ended, settings); !kept) return kept;
  }
  const std::int64_t before = floor_to(hour - std::int64_t{settings.keep_hours} * kHour_s, kDay_s);
  if (const Status folded = fold_hours(before, settings); !folded) return folded;
  const std::int64_t days = floor_to(hour - std::int64_t{settings.keep_days} * kDay_s, kDay_s);
  if (const Status gone = run("DELETE FROM history WHERE span=86400 AND start<?1", {days}); !gone)
    return gone;
  if (const Status fits = shrink(settings); !fits) return fits;
  return load_hosts();
}

Status History::load_hosts() {
  hosts_.clear();
  auto rows = database_->prepare(
      "SELECT DISTINCT text FROM history JOIN words ON id=host WHERE span=3600 AND start=?1");
  if (!rows) return fail(rows.error());
  rows->bind(1, hour_);
  for (;;) {
    const auto row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return {};
    hosts_.emplace(rows->text(0));
  }
}

/// Hours before `before`, the start of a day, become days.
Status History::fold_hours(std::int64_t before, const Settings& settings) {
  for (;;) {
    const auto first = oldest(kHour_s);
    if (!first) return fail(first.error());
    if (*first < 0 || *first >= before) return {};
    const std::int64_t day = floor_to(*first, kDay_s);
    if (const Status added = run(kFold, {day + kDay_s}); !added) return added;
    if (const Status gone = run("DELETE FROM history WHERE span=3600 AND start<?1", {day + kDay_s});
        !gone)
      return gone;
    if (const Status kept = keep_top(kDay_s, day, settings); !kept) return kept;
  }
}

Status History::keep_top(std::int64_t span, std::int64_t start, const Settings& settings) {
  const auto other = words_->id_of(kOther);
  if (!other) return fail(other.error());
  const std::int64_t hosts = settings.top_hosts;
  if (const Status added = run(kRestToOther, {span, start, *other, hosts}); !added) return added;
  return run(kDropRest, {span, start, *other, hosts});
}

/// The oldest goes while the file is too large: days, then whole days of hours.
Status History::shrink(const Settings& settings) {
  for (;;) {
    const auto pages = one_number("PRAGMA page_count");
    const auto free = one_number("PRAGMA freelist_count");
    const auto size = one_number("PRAGMA page_size");
    if (!pages || !free || !size) return fail(Errc::malformed);
    if (whole((*pages - *free) * *size) <= settings.max_size) break;
    const auto day = oldest(kDay_s);
    if (!day) return fail(day.error());
    const auto first = *day < 0 ? oldest(kHour_s) : day;
    if (!first) return fail(first.error());
    if (*first < 0 || *first >= hour_) break;  // what is left is not ours to drop
    const Status gone = *day >= 0
                            ? run("DELETE FROM history WHERE span=86400 AND start<=?1", {*first})
                            : run("DELETE FROM history WHERE span=3600 AND start<=?1", {*first});
    if (!gone) return gone;
  }
  return words_->sweep();
}

Result<std::int64_t> History::oldest(std::int64_t span) {
  return one_number(span == kDay_s
                        ? "SELECT coalesce(min(start), -1) FROM history WHERE span=86400"
                        : "SELECT coalesce(min(start), -1) FROM history WHERE span=3600");
}

Result<std::int64_t> History::one_number(const char* sql) {
  auto statement = database_->prepare(sql);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->number(0) : 0;
}

Status History::run(const char* sql, std::initializer_list<std::int64_t> values) {
  auto statement = database_->prepare(sql);
  if (!statement) return fail(statement.error());
  int index = 0;
  for (const std::int64_t value : values) statement->bind(++index, value);
  return statement->run();
}

Status History::add(const contract::CounterDelta& delta) {
  std::string host = delta.key.host.substr(0, kMaxKeyBytes);
  if (!hosts_.contains(host)) {
    if (hosts_.size() >= kHostsPerHour)
      host = kOther;
    else
      hosts_.insert(host);
  }
  const std::string client =
      delta.key.client.valid() ? delta.key.client.to_string() : std::string(kOther);
  const std::string_view texts[] = {client, delta.key.outbound, delta.key.rule, host,
                                    delta.key.user};
  add_.bind(1, hour_);
  int index = 1;
  for (const std::string_view text : texts) {
    const auto id = words_->id_of(text.substr(0, kMaxKeyBytes));
    if (!id) return fail(id.error());
    add_.bind(++index, *id);
  }
  add_.bind(7, static_cast<std::int64_t>(delta.key.network));
  add_.bind(8, static_cast<std::int64_t>(delta.upload));
  add_.bind(9, static_cast<std::int64_t>(delta.download));
  add_.bind(10, static_cast<std::int64_t>(delta.flows));
  return add_.run();
}

Result<Report> History::read(const Query& query) {
  auto rows = database_->prepare(sql_of(query.by));
  if (!rows) return fail(rows.error());
  const std::int64_t since = query.since_wall_ms / 1000;
  rows->bind(1, floor_to(since, kHour_s));
  rows->bind(2, floor_to(since, kDay_s));
  Report out;
  for (;;) {
    const auto row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return out;
    Row one;
    if (query.by == By::network)
      one.key = rows->number(0) == static_cast<std::int64_t>(Network::tcp) ? "tcp" : "udp";
    else
      one.key = rows->text(0);
    one.upload = whole(rows->number(1));
    one.download = whole(rows->number(2));
    one.flows = whole(rows->number(3));
    out.rows.push_back(std::move(one));
  }
}

}  // namespace sluice::stats
