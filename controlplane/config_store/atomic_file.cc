#include "controlplane/config_store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>

#include "controlplane/config_store/store_limits.h"
#include "proto/common/unique_fd.h"

namespace sluice::config_store {
namespace {

/// What is replaced: links followed, and the mode and owner to keep.
struct Target {
  std::string path;
  std::string directory;
  std::string name;
  std::optional<struct stat> old;
};

struct FreeText {
  void operator()(char* text) const noexcept { std::free(text); }
};

Target split(std::string path) {
  Target out;
  const std::size_t slash = path.rfind('/');
  out.directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  out.name = slash == std::string::npos ? path : path.substr(slash + 1);
  out.path = std::move(path);
  return out;
}

Stored<Target> find_target(const std::string& path) {
  const std::unique_ptr<char, FreeText> resolved(::realpath(path.c_str(), nullptr));
  if (!resolved && errno != ENOENT) return store_fail(StoreFault::no_directory, path, errno);
  Target target = split(resolved ? std::string(resolved.get()) : path);
  struct stat info{};
  if (::stat(target.path.c_str(), &info) == 0) target.old = info;
  return target;
}

StoreFault fault_of_directory(int sys) {
  return sys == EROFS ? StoreFault::read_only : StoreFault::no_directory;
}

/// Who may keep the owner: the owner itself, and root.
Stored<void> check_target(const Target& target) {
  if (target.old) {
    const struct stat& old = *target.old;
    if (!S_ISREG(old.st_mode)) return store_fail(StoreFault::write_failed, target.path, EISDIR);
    if ((old.st_mode & 0222) == 0) return store_fail(StoreFault::read_only, target.path);
    if (old.st_uid != ::geteuid() && ::geteuid() != 0)
      return store_fail(StoreFault::other_owner, target.path);
  }
  if (::faccessat(AT_FDCWD, target.directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return store_fail(fault_of_directory(errno), target.path, errno);
  return {};
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Content, mode, owner and durability of the temporary file; errno says why not.
bool fill(int fd, std::string_view content, const Target& target, mode_t mode_if_new) {
  const mode_t mode = target.old ? target.old->st_mode & 07777 : mode_if_new;
  if (target.old && (target.old->st_uid != ::geteuid() || target.old->st_gid != ::getegid()) &&
      ::fchown(fd, target.old->st_uid, target.old->st_gid) != 0)
    return false;
  return ::fchmod(fd, mode) == 0 && write_all(fd, content) && ::fsync(fd) == 0;
}

/// After rename(2): without it a power cut may bring the old name back. Best effort, the content
/// itself is safe; some file systems refuse to sync directories.
void sync_directory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) (void)::fsync(fd.get());
}

}  // namespace

Stored<void> may_replace(const std::string& path) {
  const Stored<Target> target = find_target(path);
  if (!target) return std::unexpected(target.error());
  return check_target(*target);
}

Stored<void> replace_file(const std::string& path, std::string_view content, mode_t mode_if_new) {
  if (content.size() > kMaxConfigBytes) return store_fail(StoreFault::too_large, path);
  const Stored<Target> target = find_target(path);
  if (!target) return std::unexpected(target.error());
  if (const Stored<void> allowed = check_target(*target); !allowed) return allowed;

  std::string temporary = target->directory + "/." + target->name + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return store_fail(fault_of_directory(errno), path, errno);
  if (!fill(fd.get(), content, *target, mode_if_new) ||
      ::rename(temporary.c_str(), target->path.c_str()) != 0) {
    const int sys = errno;
    ::unlink(temporary.c_str());
    return store_fail(StoreFault::write_failed, path, sys);
  }
  sync_directory(target->directory);
  return {};
}

Stored<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return store_fail(StoreFault::read_failed, path, errno);
  std::string out;
  std::array<char, 16384> block{};
  for (;;) {
    const ssize_t n = ::read(fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return store_fail(StoreFault::read_failed, path, errno);
    if (n == 0) return out;
    out.append(block.data(), static_cast<std::size_t>(n));
    if (out.size() > kMaxConfigBytes) return store_fail(StoreFault::too_large, path);
  }
}

}  // namespace sluice::config_store
