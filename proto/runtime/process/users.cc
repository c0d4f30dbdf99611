#include "proto/runtime/process/users.h"

#include <grp.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "proto/common/log.h"
#include "proto/runtime/process/paths.h"

extern char** environ;

namespace sluice {

namespace {

/// The database calls answer nullptr for "absent" with one of these errno values, or none.
bool is_absent(int error) noexcept {
  return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
}

/// Where administrators' tools live, whatever PATH says.
std::string find_tool(const char* name) {
  for (const char* directory : {"/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"}) {
    std::string path = std::string(directory) + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Status run_tool(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  if (const int error = ::posix_spawn(&child, path.c_str(), nullptr, nullptr, argv.data(), environ);
      error != 0)
    return fail_errno(error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail_errno(errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  SLUICE_LOG(error, "process", "step=create-user %s failed with status %d", path.c_str(), status);
  return fail(Errc::system);
}

Status create_user(const char* name, const std::string& home) {
  const CreateUserCommands commands = create_user_commands(name, home);
  if (const std::string useradd = find_tool("useradd"); !useradd.empty())
    return run_tool(useradd, commands.useradd);
  const std::string addgroup = find_tool("addgroup");
  const std::string adduser = find_tool("adduser");
  if (addgroup.empty() || adduser.empty()) {
    SLUICE_LOG(error, "process", "no useradd or adduser here: create the system user %s by hand",
               name);
    return fail(Errc::not_found);
  }
  if (!find_group(name)) {
    if (Status s = run_tool(addgroup, commands.addgroup); !s) return s;
  }
  return run_tool(adduser, commands.adduser);
}

}  // namespace

Result<UserIds> find_user(const char* name) {
  errno = 0;
  if (const passwd* entry = ::getpwnam(name)) return UserIds{entry->pw_uid, entry->pw_gid};
  if (is_absent(errno)) return fail(Errc::not_found);
  return fail_errno(errno);
}

Result<gid_t> find_group(const char* name) {
  errno = 0;
  if (const group* entry = ::getgrnam(name)) return entry->gr_gid;
  if (is_absent(errno)) return fail(Errc::not_found);
  return fail_errno(errno);
}

CreateUserCommands create_user_commands(const std::string& name, const std::string& home) {
  CreateUserCommands commands;
  commands.useradd = {"useradd", "--system", "--no-create-home", "--home-dir",
                      home,      "--shell",  "/bin/false"};
  // A group that is there already (made by hand, or by half an installation) is used as it is.
  if (find_group(name.c_str())) {
    commands.useradd.insert(commands.useradd.end(), {"--gid", name});
  } else {
    commands.useradd.push_back("--user-group");
  }
  commands.useradd.push_back(name);
  commands.addgroup = {"addgroup", "-S", name};
  commands.adduser = {"adduser", "-S",         "-D", "-H", "-h", home,
                      "-s",      "/bin/false", "-G", name, name};
  return commands;
}

Status ensure_users() {
  struct Wanted {
    const char* name;
    std::string home;
  };
  for (const Wanted& user : {Wanted{kControlUser, default_home(0)}, Wanted{kDataUser, "/"}}) {
    const Result<UserIds> found = find_user(user.name);
    if (found) continue;
    if (found.error().code != Errc::not_found) return fail(found.error());
    if (::geteuid() != 0) return fail(Errc::denied);
    if (Status s = create_user(user.name, user.home); !s) return s;
    SLUICE_LOG(info, "process", "created the system user %s", user.name);
  }
  return {};
}

}  // namespace sluice
