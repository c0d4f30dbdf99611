#include "controlplane/stats/totals.h"

#include <utility>

#include "controlplane/stats/bounds.h"

namespace sluice::stats {
namespace {

std::int64_t as_stored(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value);
}

void bind_delta(Statement& statement, TotalKind kind, std::string_view key,
                const contract::CounterDelta& delta) noexcept {
  statement.bind(1, static_cast<std::int64_t>(kind));
  statement.bind(2, key);
  statement.bind(3, as_stored(delta.upload));
  statement.bind(4, as_stored(delta.download));
  statement.bind(5, as_stored(delta.flows));
}

}  // namespace

Result<Totals> Totals::make(Database& database, std::size_t max_keys) {
  Totals out;
  out.database_ = &database;
  out.max_keys_ = max_keys;
  const std::pair<Statement*, std::string_view> statements[] = {
      {&out.update_,
       "UPDATE totals SET upload=upload+?3, download=download+?4, flows=flows+?5"
       " WHERE kind=?1 AND key=?2"},
      {&out.insert_,
       "INSERT INTO totals(kind, key, upload, download, flows) VALUES(?1,?2,?3,?4,?5)"},
      {&out.count_, "SELECT kind, count(*) FROM totals GROUP BY kind"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = database.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  if (const Status counted = out.recount(); !counted) return fail(counted.error());
  return out;
}

Status Totals::recount() {
  counts_.fill(0);
  for (;;) {
    const auto row = count_.step();
    if (!row || !*row) {
      count_.reset();
      if (!row) return fail(row.error());
      return {};
    }
    const auto kind = static_cast<std::size_t>(count_.number(0));
    if (kind < kTotalKinds) counts_[kind] = static_cast<std::size_t>(count_.number(1));
  }
}

Result<std::vector<Row>> Totals::read(TotalKind kind) {
  auto rows = database_->prepare(
      "SELECT key, upload, download, flows FROM totals WHERE kind=?1"
      " ORDER BY upload+download DESC, key");
  if (!rows) return fail(rows.error());
  rows->bind(1, static_cast<std::int64_t>(kind));
  std::vector<Row> out;
  for (;;) {
    const auto row = rows->step();
    if (!row) return fail(row.error());
    if (!*row) return out;
    out.push_back({std::string(rows->text(0)), static_cast<std::uint64_t>(rows->number(1)),
                   static_cast<std::uint64_t>(rows->number(2)),
                   static_cast<std::uint64_t>(rows->number(3))});
  }
}

Status Totals::add(const contract::CounterDelta& delta) {
  const std::string client =
      delta.key.client.valid() ? delta.key.client.to_string() : std::string(kOther);
  const std::pair<TotalKind, std::string_view> keys[] = {
      {TotalKind::outbound, delta.key.outbound},
      {TotalKind::rule, delta.key.rule},
      {TotalKind::client, client},
      {TotalKind::host, delta.key.host},
      {TotalKind::user, delta.key.user},
      {TotalKind::network, delta.key.network == Network::tcp ? "tcp" : "udp"},
  };
  for (const auto& [kind, key] : keys)
    if (const Status added = add_to(kind, key.substr(0, kMaxKeyBytes), delta); !added) return added;
  return {};
}

Result<bool> Totals::update(TotalKind kind, std::string_view key,
                            const contract::CounterDelta& delta) {
  bind_delta(update_, kind, key, delta);
  if (const Status done = update_.run(); !done) return fail(done.error());
  return database_->changed() != 0;
}

Status Totals::add_to(TotalKind kind, std::string_view key, const contract::CounterDelta& delta) {
  auto known = update(kind, key, delta);
  if (!known) return fail(known.error());
  if (*known) return {};
  std::size_t& count = counts_[static_cast<std::size_t>(kind)];
  // One place is kept for kOther itself.
  if (count + 1 >= max_keys_ && key != kOther) {
    key = kOther;
    known = update(kind, key, delta);
    if (!known) return fail(known.error());
    if (*known) return {};
  }
  bind_delta(insert_, kind, key, delta);
  if (const Status put = insert_.run(); !put) return put;
  ++count;
  return {};
}

}  // namespace sluice::stats
