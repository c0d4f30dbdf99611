#include "proto/common/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;

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

std::unexpected<ReplaceError> refuse(ReplaceFault fault, int sys) {
  return std::unexpected(ReplaceError{fault, sys});
}

Target split(std::string path) {
  Target out;
  const std::size_t slash = path.rfind('/');
  out.directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  out.name = slash == std::string::npos ? path : path.substr(slash + 1);
  out.path = std::move(path);
  return out;
}

std::expected<Target, ReplaceError> find_target(const std::string& path) {
  const std::unique_ptr<char, FreeText> resolved(::realpath(path.c_str(), nullptr));
  if (!resolved && errno != ENOENT) return refuse(ReplaceFault::no_directory, errno);
  Target target = split(resolved ? std::string(resolved.get()) : path);
  struct stat info{};
  if (::stat(target.path.c_str(), &info) == 0) target.old = info;
  return target;
}

ReplaceFault fault_of_directory(int sys) {
  return sys == EROFS ? ReplaceFault::read_only : ReplaceFault::no_directory;
}

/// What of the old file may stand in the way.
enum class Respect : std::uint8_t { owner_and_mode, nothing };

/// Who may keep the owner: the owner itself, and root.
Replaced check_target(const Target& target, Respect respect) {
  if (target.old && !S_ISREG(target.old->st_mode))
    return refuse(ReplaceFault::write_failed, EISDIR);
  if (target.old && respect == Respect::owner_and_mode) {
    const struct stat& old = *target.old;
    if ((old.st_mode & 0222) == 0) return refuse(ReplaceFault::read_only, EACCES);
    if (old.st_uid != ::geteuid() && ::geteuid() != 0)
      return refuse(ReplaceFault::other_owner, EPERM);
  }
  if (::faccessat(AT_FDCWD, target.directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return refuse(fault_of_directory(errno), errno);
  return {};
}

/// True unless `old` belongs to others whose ownership must be kept and cannot.
bool keep_owner(int fd, const struct stat& old, Respect respect) {
  if (old.st_uid == ::geteuid() && old.st_gid == ::getegid()) return true;
  if (::fchown(fd, old.st_uid, old.st_gid) == 0) return true;
  return respect == Respect::nothing && ::geteuid() != 0;
}

/// Mode and owner of the temporary file; errno says why not.
bool dress(int fd, const Target& target, Respect respect, mode_t mode_if_new) {
  const mode_t mode = target.old ? target.old->st_mode & 07777 : mode_if_new;
  if (target.old && !keep_owner(fd, *target.old, respect)) return false;
  return ::fchmod(fd, mode) == 0;
}

/// After rename(2): without it a power cut may bring the old name back. Best effort, the content
/// itself is safe; some file systems refuse to sync directories.
void sync_directory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) (void)::fsync(fd.get());
}

}  // namespace

/// Both ways to begin one; only one of them is for everybody.
struct ReplacementMaker {
  static std::expected<FileReplacement, ReplaceError> begin(const std::string& path,
                                                            Respect respect, mode_t mode_if_new) {
    const auto target = find_target(path);
    if (!target) return std::unexpected(target.error());
    if (const Replaced allowed = check_target(*target, respect); !allowed)
      return std::unexpected(allowed.error());

    FileReplacement out;
    std::string temporary = target->directory + "/." + target->name + ".XXXXXX";
    out.fd_ = UniqueFd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!out.fd_.valid()) return refuse(fault_of_directory(errno), errno);
    out.temporary_ = std::move(temporary);
    out.path_ = target->path;
    out.directory_ = target->directory;
    if (!dress(out.fd_.get(), *target, respect, mode_if_new))
      return refuse(ReplaceFault::write_failed, errno);
    return out;
  }

  static Replaced replace(const std::string& path, std::string_view content, Respect respect,
                          mode_t mode_if_new) {
    auto replacement = begin(path, respect, mode_if_new);
    if (!replacement) return std::unexpected(replacement.error());
    if (const Status written = replacement->write(content); !written)
      return refuse(ReplaceFault::write_failed, written.error().sys);
    return replacement->commit();
  }
};

std::expected<FileReplacement, ReplaceError> FileReplacement::begin(const std::string& path,
                                                                    mode_t mode_if_new) {
  return ReplacementMaker::begin(path, Respect::owner_and_mode, mode_if_new);
}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : path_(std::move(other.path_)),
      directory_(std::move(other.directory_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::move(other.fd_)) {}

FileReplacement& FileReplacement::operator=(FileReplacement&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  path_ = std::move(other.path_);
  directory_ = std::move(other.directory_);
  temporary_ = std::exchange(other.temporary_, {});
  fd_ = std::move(other.fd_);
  return *this;
}

FileReplacement::~FileReplacement() {
  abandon();
}

void FileReplacement::abandon() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Replaced FileReplacement::commit() {
  if (::fsync(fd_.get()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int sys = errno;
    abandon();
    return refuse(ReplaceFault::write_failed, sys);
  }
  temporary_.clear();
  sync_directory(directory_);
  return {};
}

Result<std::string> read_whole(int fd, std::size_t most) {
  std::string out;
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + kReadBytes);
    const ssize_t n = ::read(fd, out.data() + before, kReadBytes);
    const int sys = errno;
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && sys != EINTR) return fail_errno(sys);
    if (n == 0) return out;
    if (out.size() > most) return fail(Errc::too_large, Side::us, EFBIG);
  }
}

Status write_whole(int fd, std::string_view content) noexcept {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Replaced may_replace(const std::string& path) {
  const auto target = find_target(path);
  if (!target) return std::unexpected(target.error());
  return check_target(*target, Respect::owner_and_mode);
}

Replaced replace_file(const std::string& path, std::string_view content, mode_t mode_if_new) {
  return ReplacementMaker::replace(path, content, Respect::owner_and_mode, mode_if_new);
}

Replaced replace_file_for_owner(const std::string& path, std::string_view content) {
  return ReplacementMaker::replace(path, content, Respect::nothing, 0600);
}

}  // namespace sluice
