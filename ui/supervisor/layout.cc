#include "ui/supervisor/layout.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "proto/runtime/process/paths.h"

namespace sluice::supervisor {

namespace {

constexpr mode_t kPrivate = 0700;
constexpr mode_t kShared = 02750;

std::unexpected<Error> failed(const std::string& path, std::string& why) {
  const int error = errno;
  why = path + ": " + std::strerror(error);
  return fail_errno(error);
}

/// Creates `path` and its missing parents (0755), as `mkdir -p`.
Status make_parents(const std::string& path, std::string& why) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST) return failed(parent, why);
  }
  return {};
}

/// A directory of ours: created if missing, then owner and mode set through a descriptor, so that a
/// symbolic link put in its place is not followed.
Status make_directory(const std::string& path, const UserIds& owner, mode_t mode, bool root,
                      std::string& why) {
  if (::mkdir(path.c_str(), kPrivate) != 0 && errno != EEXIST) return failed(path, why);
  const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.valid()) return failed(path, why);
  if (root && ::fchown(directory.get(), owner.uid, owner.gid) != 0) return failed(path, why);
  if (::fchmod(directory.get(), mode) != 0) return failed(path, why);
  return {};
}

Status require_reachable(const std::string& path, const UserIds& user, const char* name,
                         std::string& why) {
  if (is_reachable(path, user)) return {};
  why =
      path + ": user " + name + " cannot reach it; choose a directory below one that it may enter";
  return fail(Errc::denied, Side::us, EACCES);
}

Result<UniqueFd> take_lock(const std::string& directory, std::string& why) {
  const std::string path = directory + "/" + kLockFile;
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) return failed(path, why);
  // The home belongs to another user: write only into a file that has no second name.
  struct stat info{};
  if (::fstat(lock.get(), &info) != 0) return failed(path, why);
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1) {
    why = path + ": not a lock file of ours; remove it";
    return fail(Errc::denied, Side::us, EPERM);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed(path, why);
    std::array<char, 16> pid{};
    const ssize_t size = ::pread(lock.get(), pid.data(), pid.size() - 1, 0);
    why = "another sluice (pid " +
          std::string(pid.data(), size > 0 ? static_cast<std::size_t>(size) : 0) + ") uses " +
          directory + "; stop it first, or choose other directories with " + kOptionHome + " and " +
          kOptionRunDirectory;
    return fail(Errc::exists);
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock.get(), 0) != 0 ||
      ::pwrite(lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return failed(path, why);
  return lock;
}

}  // namespace

Result<Identities> find_identities(uid_t uid, gid_t gid) {
  if (uid != 0) return Identities{false, {uid, gid}, {uid, gid}};
  if (Status s = ensure_users(); !s) return fail(s.error());
  const Result<UserIds> control = find_user(kControlUser);
  if (!control) return fail(control.error());
  const Result<UserIds> data = find_user(kDataUser);
  if (!data) return fail(data.error());
  return Identities{true, *control, *data};
}

Status make_layout(const Options& options, const Identities& who, std::string& why) {
  const std::string& run = options.run_dir;
  const UserIds self{::geteuid(), ::getegid()};
  for (const std::string& path : {run, options.home}) {
    if (Status s = make_parents(path, why); !s) return s;
  }
  const mode_t shared = who.root ? kShared : kPrivate;
  if (Status s = make_directory(run, self, who.root ? 0755 : kPrivate, who.root, why); !s) return s;
  const UserIds data_owner{who.data.uid, who.control.gid};
  if (Status s = make_directory(run + "/" + kDataDirectory, data_owner, shared, who.root, why); !s)
    return s;
  if (Status s = make_directory(run + "/" + kControlDirectory, who.control, shared, who.root, why);
      !s)
    return s;
  if (Status s =
          make_directory(options.home, who.control, who.root ? 0750 : kPrivate, who.root, why);
      !s)
    return s;
  if (!who.root) return {};
  if (Status s = require_reachable(run, who.data, kDataUser, why); !s) return s;
  if (Status s = require_reachable(run, who.control, kControlUser, why); !s) return s;
  return require_reachable(options.home, who.control, kControlUser, why);
}

Result<Locks> take_locks(const Options& options, std::string& why) {
  Result<UniqueFd> run = take_lock(options.run_dir, why);
  if (!run) return fail(run.error());
  Locks locks;
  locks.run_dir = std::move(*run);
  // One directory may serve as both; one lock then covers it.
  if (options.home == options.run_dir) return locks;
  Result<UniqueFd> home = take_lock(options.home, why);
  if (!home) return fail(home.error());
  locks.home = std::move(*home);
  return locks;
}

bool is_reachable(const std::string& path, const UserIds& user) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    struct stat info{};
    if (::stat(part.c_str(), &info) != 0) return false;
    const mode_t search = info.st_uid == user.uid   ? S_IXUSR
                          : info.st_gid == user.gid ? S_IXGRP
                                                    : S_IXOTH;
    if ((info.st_mode & search) == 0) return false;
    if (slash == std::string::npos) return true;
  }
}

}  // namespace sluice::supervisor
