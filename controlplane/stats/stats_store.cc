#include "controlplane/stats/stats_store.h"

#include <sys/stat.h>

#include <utility>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/open_store.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/name.h"

namespace sluice::stats {
namespace {

constexpr const char* kPragmas =
    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
    "PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=1048576;";
static_assert(kWalPages == 256, "the pragma above says the same");

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS numbers(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT "
    "ROWID;"
    "CREATE TABLE IF NOT EXISTS bindings(position INTEGER PRIMARY KEY AUTOINCREMENT,"
    " address BLOB NOT NULL UNIQUE, name TEXT NOT NULL, last_good BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS totals(kind INTEGER, key TEXT, upload INTEGER NOT NULL,"
    " download INTEGER NOT NULL, flows INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;";

StoreShape shape(const std::string& schema) {
  return {"stats.db", 2, kPragmas, schema.c_str(), 1};
}

bool exists(const std::string& path) {
  struct stat info{};
  return !path.empty() && ::stat(path.c_str(), &info) == 0;
}

/// 16 bytes per address, v4 mapped.
std::string pack(const std::vector<IpAddress>& addresses) {
  std::string out;
  for (const IpAddress& ip : addresses) {
    const auto bytes = ip.mapped();
    out.append(as_text(bytes));
  }
  return out;
}

std::vector<IpAddress> unpack(ByteView bytes) {
  std::vector<IpAddress> out;
  for (; bytes.size() >= 16; bytes = bytes.subspan(16))
    out.push_back(IpAddress::from_bytes(bytes.first(16)));
  return out;
}

}  // namespace

StatsStore::StatsStore(StatsFiles files, Writer& writer, std::size_t max_keys, Clock clock)
    : files_(std::move(files)), writer_(writer), clock_(clock), max_keys_(max_keys) {
  open();
  start_cursor_ = cursor_;
  if (!database_) return;
  if (const Status loaded = load_bindings(); !loaded)
    SLUICE_LOG(warning, "stats", "stats.db: fake addresses could not be read: %s",
               describe(loaded.error()).c_str());
}

void StatsStore::open() {
  close();
  // What is in memory is newer than its copy on the disk.
  in_memory_ = exists(files_.memory);
  const std::string schema = std::string(kSchema) + kHistorySchema;
  database_ = open_store(in_memory_ ? files_.memory : files_.disk, shape(schema), warned_).database;
  cursor_ = {};
  if (!database_) {
    warned_ = true;
    return;
  }
  if (const Status ready = prepare(); !ready) {
    SLUICE_LOG(warning, "stats", "stats.db cannot be read: %s", describe(ready.error()).c_str());
    warned_ = true;
    close();
  }
}

void StatsStore::close() {
  totals_.reset();
  history_.reset();
  for (Statement* s : {&set_number_, &get_number_, &add_binding_, &remove_binding_})
    *s = Statement();
  database_ = Database();
}

Status StatsStore::prepare() {
  const std::pair<Statement*, std::string_view> statements[] = {
      {&set_number_, "INSERT OR REPLACE INTO numbers(key, value) VALUES(?1, ?2)"},
      {&get_number_, "SELECT value FROM numbers WHERE key=?1"},
      {&add_binding_,
       "INSERT OR REPLACE INTO bindings(address, name, last_good) VALUES(?1, ?2, ?3)"},
      {&remove_binding_, "DELETE FROM bindings WHERE address=?1"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  auto made = Totals::make(database_, max_keys_);
  if (!made) return fail(made.error());
  totals_.emplace(std::move(*made));
  auto history = History::make(database_);
  if (!history) return fail(history.error());
  history_.emplace(std::move(*history));
  const auto since = number("history_since_ms");
  if (!since) return fail(since.error());
  if (*since == 0) {
    if (const Status put = set_number("history_since_ms", static_cast<std::uint64_t>(clock_()));
        !put)
      return put;
  }
  const auto epoch = number("epoch");
  const auto sequence = number("sequence");
  if (!epoch) return fail(epoch.error());
  if (!sequence) return fail(sequence.error());
  cursor_ = {*epoch, *sequence};
  return {};
}

Result<std::uint64_t> StatsStore::number(std::string_view key) {
  get_number_.bind(1, key);
  const auto row = get_number_.step();
  const std::uint64_t value = row && *row ? static_cast<std::uint64_t>(get_number_.number(0)) : 0;
  get_number_.reset();
  if (!row) return fail(row.error());
  return value;
}

Status StatsStore::set_number(std::string_view key, std::uint64_t value) {
  set_number_.bind(1, key);
  set_number_.bind(2, static_cast<std::int64_t>(value));
  return set_number_.run();
}

Status StatsStore::load_bindings() {
  auto rows = database_.prepare("SELECT address, name, last_good FROM bindings ORDER BY position");
  if (!rows) return fail(rows.error());
  for (;;) {
    const auto row = rows->step();
    if (!row) return fail(row.error());
    if (!*row || loaded_.bindings.size() >= kMaxBindings) break;
    const IpAddress address = IpAddress::from_bytes(rows->bytes(0));
    const std::string_view name = rows->text(1);
    if (address.valid() && is_normal_name(name))
      loaded_.bindings.push_back({address, std::string(name), true, unpack(rows->bytes(2))});
  }
  loaded_.next_v4 = static_cast<std::uint32_t>(number("next_v4").value_or(0));
  loaded_.next_v6 = static_cast<std::uint32_t>(number("next_v6").value_or(0));
  return {};
}

bool StatsStore::usable() {
  if (database_) return true;
  const Moment now = monotonic_now();
  if (now < next_try_) return false;
  next_try_ = now + kRetryAfter;
  open();
  return static_cast<bool>(database_);
}

void StatsStore::after(const Status& outcome) {
  if (outcome) {
    warned_ = false;
    return;
  }
  if (!warned_)
    SLUICE_LOG(warning, "stats", "stats.db cannot be written: %s",
               describe(outcome.error()).c_str());
  warned_ = true;
  if (history_) history_->forget();
  if (totals_ && !totals_->recount()) totals_.reset();
  if (outcome.error().code != Errc::malformed && totals_) return;
  close();  // looked at, and if need be set aside, by the next call
}

Status StatsStore::commit(contract::CounterBatch batch, Done done) {
  return writer_.post([this, b = std::move(batch), d = std::move(done)] {
    const Status outcome = usable() ? commit_now(b) : Status(fail(Errc::not_found));
    after(outcome);
    d(outcome);
  });
}

Status StatsStore::commit_now(const contract::CounterBatch& batch) {
  if (batch.epoch == cursor_.epoch && batch.sequence <= cursor_.sequence) return {};
  if (batch.epoch != cursor_.epoch) {
    if (const Status begun = begin_life(batch.epoch, clock_()); !begun) return begun;
  }
  if (const Status stored = store_batch(batch); !stored) return stored;
  cursor_ = {batch.epoch, batch.sequence};
  copy_out_if_due();
  return {};
}

Status StatsStore::store_batch(const contract::CounterBatch& batch) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  const std::int64_t now = clock_();
  if (const Status begun = history_->begin(now, settings_); !begun) return begun;
  for (const contract::CounterDelta& delta : batch.deltas) {
    if (const Status added = totals_->add(delta); !added) return added;
    if (const Status added = history_->add(delta); !added) return added;
  }
  if (const Status put = set_number("epoch", batch.epoch); !put) return put;
  if (const Status put = set_number("sequence", batch.sequence); !put) return put;
  if (const Status put = set_number("committed_ms", static_cast<std::uint64_t>(now)); !put)
    return put;
  if (batch.final) {
    if (const Status put = set_number("final_epoch", batch.epoch); !put) return put;
  }
  return transaction->commit();
}

Status StatsStore::save_bindings(BindingWrite write, Done done) {
  return writer_.post([this, w = std::move(write), d = std::move(done)] {
    const Status outcome = usable() ? write_bindings(w) : Status(fail(Errc::not_found));
    after(outcome);
    d(outcome);
  });
}

Status StatsStore::write_bindings(const BindingWrite& write) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (write.replace) {
    if (const Status gone = database_.execute("DELETE FROM bindings"); !gone) return gone;
  }
  for (const IpAddress& address : write.remove) {
    remove_binding_.bind(1, address.bytes());
    if (const Status gone = remove_binding_.run(); !gone) return gone;
  }
  for (const contract::Binding& binding : write.add) {
    const std::string last_good = pack(binding.last_good);
    add_binding_.bind(1, binding.address.bytes());
    add_binding_.bind(2, std::string_view(binding.name));
    add_binding_.bind(3, as_byte_view(last_good));
    if (const Status put = add_binding_.run(); !put) return put;
  }
  if (const Status put = set_number("next_v4", write.next_v4); !put) return put;
  if (const Status put = set_number("next_v6", write.next_v6); !put) return put;
  return transaction->commit();
}

Status StatsStore::clear_bindings(Done done) {
  return writer_.post([this, d = std::move(done)] {
    const Status outcome =
        usable() ? database_.execute("DELETE FROM bindings") : Status(fail(Errc::not_found));
    after(outcome);
    d(outcome);
  });
}

}  // namespace sluice::stats
