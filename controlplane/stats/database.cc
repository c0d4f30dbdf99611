#include "controlplane/stats/database.h"

#include <sqlite3.h>

namespace sluice::stats {

Error error_from_sqlite(int code) noexcept {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return {Errc::malformed, Side::us, static_cast<std::uint16_t>(code), 0};
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return {Errc::no_room, Side::us, static_cast<std::uint16_t>(code), 0};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Errc::denied, Side::us, static_cast<std::uint16_t>(code), 0};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::again, Side::us, static_cast<std::uint16_t>(code), 0};
    default:
      return {Errc::system, Side::us, static_cast<std::uint16_t>(code), 0};
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void Statement::bind(int index, std::int64_t value) noexcept {
  sqlite3_bind_int64(statement_.get(), index, value);
}
void Statement::bind(int index, std::string_view text) noexcept {
  sqlite3_bind_text(statement_.get(), index, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
}
void Statement::bind(int index, ByteView bytes) noexcept {
  sqlite3_bind_blob(statement_.get(), index, bytes.data(), static_cast<int>(bytes.size()),
                    SQLITE_TRANSIENT);
}

Result<bool> Statement::step() noexcept {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(error_from_sqlite(code));
}

Status Statement::run() noexcept {
  const auto row = step();
  reset();
  if (!row) return fail(row.error());
  return {};
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::number(int column) const noexcept {
  return sqlite3_column_int64(statement_.get(), column);
}
std::string_view Statement::text(int column) const noexcept {
  return as_text(bytes(column));
}
ByteView Statement::bytes(int column) const noexcept {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(data),
          data == nullptr ? 0 : static_cast<std::size_t>(size)};
}

void Database::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

Result<Database> Database::open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &raw,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database out;
  out.handle_.reset(raw);
  if (code != SQLITE_OK) return fail(error_from_sqlite(code));
  // A file without write permission is opened for reading without an error.
  if (sqlite3_db_readonly(raw, "main") == 1) return fail(Errc::denied);
  return out;
}

Status Database::execute(const char* sql) noexcept {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(error_from_sqlite(code));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) noexcept {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  Statement out;
  out.statement_.reset(raw);
  if (code != SQLITE_OK) return fail(error_from_sqlite(code));
  return out;
}

Status Database::copy_to(const std::string& path) noexcept {
  auto target = open(path);
  if (!target) return fail(target.error());
  sqlite3_backup* copy = sqlite3_backup_init(target->handle_.get(), "main", handle_.get(), "main");
  if (copy == nullptr) return fail(error_from_sqlite(sqlite3_errcode(target->handle_.get())));
  const int stepped = sqlite3_backup_step(copy, -1);
  const int finished = sqlite3_backup_finish(copy);
  if (stepped != SQLITE_DONE) return fail(error_from_sqlite(stepped));
  if (finished != SQLITE_OK) return fail(error_from_sqlite(finished));
  return {};
}

std::int64_t Database::changed() const noexcept {
  return sqlite3_changes64(handle_.get());
}

Result<Transaction> Transaction::begin(Database& database) {
  if (const Status begun = database.execute("BEGIN IMMEDIATE"); !begun) return fail(begun.error());
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

Status Transaction::commit() noexcept {
  const Status done = database_->execute("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace sluice::stats
