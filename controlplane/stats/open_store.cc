#include "controlplane/stats/open_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "proto/common/clock.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::stats {
namespace {

/// quick_check's first line is "ok" for a sound file.
Status check(Database& database) {
  auto statement = database.prepare("PRAGMA quick_check(1)");
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  if (!*row || statement->text(0) != "ok") return fail(Errc::malformed);
  return {};
}

/// 0 for a file that was empty.
Result<int> version_of(Database& database) {
  auto statement = database.prepare("PRAGMA user_version");
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return static_cast<int>(statement->number(0));
}

/// All of them and their version, or as it was.
Status make_tables(Database& database, const StoreShape& shape) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  if (const Status done = database.execute(shape.schema); !done) return done;
  const std::string mark = "PRAGMA user_version=" + std::to_string(shape.version);
  if (const Status done = database.execute(mark.c_str()); !done) return done;
  return transaction->commit();
}

Result<OpenedStore> try_open(const std::string& path, const StoreShape& shape) {
  auto database = Database::open(path);
  if (!database) return fail(database.error());
  if (const Status done = database->execute(shape.pragmas); !done) return fail(done.error());
  if (const Status sound = check(*database); !sound) return fail(sound.error());
  const auto version = version_of(*database);
  if (!version) return fail(version.error());
  const int oldest = shape.oldest == 0 ? shape.version : shape.oldest;
  if (*version != 0 && (*version < oldest || *version > shape.version))
    return fail(Errc::unsupported);
  if (const Status made = make_tables(*database, shape); !made) return fail(made.error());
  return OpenedStore{std::move(*database), *version == 0};
}

/// Moves the file (or directory) out of the way; its journals would be played into a new one.
bool set_aside(const std::string& path, std::string& moved_to) {
  moved_to = path + ".damaged-" + std::to_string(wall_ms());
  if (::rename(path.c_str(), moved_to.c_str()) != 0) return false;
  for (const char* suffix : {"-journal", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
  return true;
}

/// What will be the same at the next start. Anything else (busy, disk full, out of descriptors) may
/// pass, and the file is left alone.
bool is_lasting(const Error& error, const struct stat& info) noexcept {
  return error.code == Errc::malformed || error.code == Errc::unsupported ||
         error.code == Errc::denied || !S_ISREG(info.st_mode);
}

}  // namespace

OpenedStore open_store(const std::string& path, const StoreShape& shape, bool repeated) {
  struct stat info{};
  const bool existed = ::lstat(path.c_str(), &info) == 0;
  auto first = try_open(path, shape);
  if (first) {
    if (existed && first->fresh)
      SLUICE_LOG(warning, "stats", "%s was empty: it starts anew", shape.name);
    return std::move(*first);
  }
  std::string moved_to;
  if (existed && is_lasting(first.error(), info) && set_aside(path, moved_to)) {
    auto second = try_open(path, shape);
    if (second) {
      SLUICE_LOG(warning, "stats", "%s cannot be used (%s): kept as %s, a new one starts empty",
                 shape.name, describe(first.error()).c_str(), moved_to.c_str());
      return std::move(*second);
    }
  }
  if (repeated) return {};
  SLUICE_LOG(warning, "stats",
             "%s cannot be opened (%s): nothing is stored for now; make %s writable", shape.name,
             describe(first.error()).c_str(), path.c_str());
  return {};
}

}  // namespace sluice::stats
