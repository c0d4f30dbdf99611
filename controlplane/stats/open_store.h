// stats/open_store.h - opens a store whatever state its file is in.
//
//   good                        used
//   damaged, a directory,       set aside as NAME.damaged-<ms>, a new one is made in its place
//   read-only, a later schema
//   an earlier schema           brought up to date, in one transaction
//   nothing can be made there   no store: the caller goes on without and tries again later
//
// Every case but the first logs one warning that says what is lost and where the old file is.
#pragma once

#include <string>

#include "controlplane/stats/database.h"

namespace sluice::stats {

struct StoreShape {
  const char* name;     ///< for the log, "state.db"
  int version;          ///< kept in user_version; one that is not known counts as damage
  const char* pragmas;  ///< journal and locking
  const char* schema;   ///< CREATE … IF NOT EXISTS; what an earlier version lacks is made by it
  int oldest = 0;       ///< version that `schema` brings up to date by itself; 0: only `version`
};

struct OpenedStore {
  Database database;   ///< closed (false) when there is no store
  bool fresh = false;  ///< what was stored before, if anything, is not in it
};
/// `repeated`: an attempt after one that has warned; only setting a file aside is logged.
[[nodiscard]] OpenedStore open_store(const std::string& path, const StoreShape& shape,
                                     bool repeated = false);

}  // namespace sluice::stats
