// stats/database.h - SQLite with owners and Results; the only files that include sqlite3.h are
// here.
//
// Thread: a Database and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sluice::stats {

/// SQLite's result as ours. Damage (not a database, corrupt) is malformed, which callers tell apart
/// from everything that may pass (busy, full, read-only).
[[nodiscard]] Error error_from_sqlite(int code) noexcept;

/// A prepared statement. Bind from 1, read columns from 0.
class Statement {
 public:
  Statement() noexcept = default;
  void bind(int index, std::int64_t value) noexcept;
  void bind(int index, std::string_view text) noexcept;
  void bind(int index, ByteView bytes) noexcept;
  /// True while there is a row. Errors: malformed, no_room (disk full), denied, system.
  [[nodiscard]] Result<bool> step() noexcept;
  /// Runs a statement without rows and makes it ready for the next use.
  [[nodiscard]] Status run() noexcept;
  void reset() noexcept;
  [[nodiscard]] std::int64_t number(int column) const noexcept;
  [[nodiscard]] std::string_view text(int column) const noexcept;  ///< until the next step
  [[nodiscard]] ByteView bytes(int column) const noexcept;         ///< until the next step

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  Database() noexcept = default;
  /// Opens or creates. Errors: malformed, denied (also: the file can only be read), system.
  static Result<Database> open(const std::string& path);

  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Several statements without parameters.
  Status execute(const char* sql) noexcept;
  [[nodiscard]] Result<Statement> prepare(std::string_view sql) noexcept;
  /// Writes everything into a file that is new or ours; a copy that fails leaves it unusable.
  [[nodiscard]] Status copy_to(const std::string& path) noexcept;
  /// Rows that the last statement changed.
  [[nodiscard]] std::int64_t changed() const noexcept;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Rolls back unless commit() was called.
class Transaction {
 public:
  /// Errors: as execute().
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  [[nodiscard]] Status commit() noexcept;

 private:
  explicit Transaction(Database& database) noexcept : database_(&database) {}
  Database* database_;
};

}  // namespace sluice::stats
