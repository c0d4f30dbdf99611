// process/users.h - the two system users: who they are, and how they come to be.
//
// Thread: main thread at start; the C library's user database calls are not reentrant.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "proto/common/result.h"

namespace sluice {

struct UserIds {
  uid_t uid = 0;
  gid_t gid = 0;
};

/// Errors: not_found; system when the database cannot be read.
[[nodiscard]] Result<UserIds> find_user(const char* name);
/// Errors: not_found; system.
[[nodiscard]] Result<gid_t> find_group(const char* name);

/// Creates the groups and users `sluice` and `sluice-dp` that are missing: system accounts without
/// password, shell or home directory of their own making, each with its group of the same name.
/// Uses the system's own tools (`useradd`, else BusyBox `addgroup` and `adduser`), because they
/// alone know the files, locks and id ranges of the distribution. Needs root.
/// Errors: denied (not root); not_found (no tool; the log line says what to create by hand);
/// system (a tool failed).
[[nodiscard]] Status ensure_users();

/// The command lines that would create user `name`, for each kind of tool; pure.
struct CreateUserCommands {
  std::vector<std::string> useradd;
  std::vector<std::string> addgroup;
  std::vector<std::string> adduser;
};
[[nodiscard]] CreateUserCommands create_user_commands(const std::string& name,
                                                      const std::string& home);

}  // namespace sluice
