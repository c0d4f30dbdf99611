#include "controlplane/stats/words.h"

#include <utility>

#include "controlplane/stats/bounds.h"

namespace sluice::stats {

Result<Words> Words::make(Database& database) {
  Words out;
  out.database_ = &database;
  auto find = database.prepare("SELECT id FROM words WHERE text=?1");
  if (!find) return fail(find.error());
  auto insert = database.prepare("INSERT INTO words(text) VALUES(?1) RETURNING id");
  if (!insert) return fail(insert.error());
  out.find_ = std::move(*find);
  out.insert_ = std::move(*insert);
  return out;
}

Result<std::int64_t> Words::id_of(std::string_view text) {
  const std::string key(text);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (known_.size() >= kMaxWordsKnown) known_.clear();
  for (Statement* statement : {&find_, &insert_}) {
    statement->bind(1, text);
    const auto row = statement->step();
    const std::int64_t id = row && *row ? statement->number(0) : 0;
    statement->reset();
    if (!row) return fail(row.error());
    if (id == 0) continue;
    known_.emplace(key, id);
    return id;
  }
  return fail(Errc::malformed);
}

Status Words::sweep() {
  known_.clear();
  return database_->execute(
      "DELETE FROM words WHERE id NOT IN (SELECT client FROM history UNION SELECT outbound FROM "
      "history UNION SELECT rule FROM history UNION SELECT host FROM history UNION SELECT user "
      "FROM "
      "history)");
}

}  // namespace sluice::stats
