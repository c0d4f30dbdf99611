#include "controlplane/provider/local_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include "proto/common/error_text.h"
#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"

namespace sluice::provider {
namespace {

/// Far above what to_text() writes.
constexpr std::size_t kMaxOrigin = 16U << 10U;
constexpr mode_t kPrivate = 0600;
constexpr mode_t kDirectory = 0700;

std::unexpected<CopyError> cannot(const char* what, const std::string& path, int sys) {
  const auto fault = sys == ENOENT ? CopyError::Fault::missing : CopyError::Fault::failed;
  return std::unexpected(CopyError{
      fault, std::string("cannot ") + what + " " + path + ": " + describe(error_from_errno(sys))});
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(uid_t uid) {
  std::array<char, 4096> room{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, room.data(), room.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(uid);
}

/// What of `path` is there: itself, or the directory that it would be made in.
std::string existing_part(std::string path) {
  while (path != "/" && ::access(path.c_str(), F_OK) != 0) path = directory_of(path);
  return path;
}

/// A file of ours lies where this user has no right, most often since root made the directory.
std::unexpected<CopyError> cannot_store(const char* what, const std::string& path, int sys) {
  std::string barred = existing_part(path);
  if (::access(barred.c_str(), W_OK) == 0) barred = directory_of(barred);  // replaced in it
  struct stat info{};
  if ((sys != EACCES && sys != EPERM) || ::stat(barred.c_str(), &info) != 0 ||
      ::access(barred.c_str(), W_OK) == 0)
    return cannot(what, path, sys);
  const std::string me = name_of(::geteuid());
  return std::unexpected(CopyError{CopyError::Fault::failed,
                                   std::string("cannot ") + what + " " + path + ": user " + me +
                                       " may not write to " + barred + ", which belongs to " +
                                       name_of(info.st_uid) + "; give it away with `chown " + me +
                                       " " + barred + "`"});
}

Stamp stamp_of(const struct stat& info) noexcept {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  return {static_cast<std::uint64_t>(info.st_size),
          static_cast<std::int64_t>(info.st_mtim.tv_sec) * kSecond_ns + info.st_mtim.tv_nsec};
}

/// ".NAME.XXXXXX": what replace_file() names its temporary files.
bool is_temporary_of(std::string_view name, std::string_view entry) noexcept {
  constexpr std::size_t kRandom = 6;
  return entry.size() == name.size() + 2 + kRandom && entry.starts_with('.') &&
         entry.substr(1, name.size()) == name && entry[name.size() + 1] == '.' &&
         std::ranges::all_of(entry.substr(name.size() + 2), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

}  // namespace

Copied<LocalCopy::Found> LocalCopy::read(std::size_t most) const {
  // Not blocking: the path may be a pipe.
  const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return cannot("read", path_, errno);
  if (!S_ISREG(info.st_mode))
    return std::unexpected(CopyError{CopyError::Fault::failed, path_ + " is no regular file"});
  auto bytes = read_whole(fd.get(), most);
  if (!bytes && bytes.error().code == Errc::too_large) {
    return std::unexpected(
        CopyError{CopyError::Fault::too_large,
                  path_ + " is larger than the size limit of " + std::to_string(most) + " bytes"});
  }
  if (!bytes) return cannot("read", path_, bytes.error().sys);
  Found found{std::move(*bytes), stamp_of(info), std::nullopt};

  const UniqueFd beside(::open(origin_path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!beside.valid()) return found;
  if (const auto text = read_whole(beside.get(), kMaxOrigin)) found.origin = parse_origin(*text);
  if (found.origin && found.origin->copy != found.stamp) found.origin.reset();
  return found;
}

Copied<void> LocalCopy::make_directories() const {
  const std::string whole = directory_of(path_);
  for (std::size_t end = whole.find('/', 1);; end = whole.find('/', end + 1)) {
    const std::string directory = whole.substr(0, end);
    if (::mkdir(directory.c_str(), kDirectory) != 0 && errno != EEXIST)
      return cannot_store("make", directory, errno);
    if (end == std::string::npos) return {};
  }
}

Copied<void> LocalCopy::store(std::string_view bytes, Origin& origin) const {
  if (const auto made = make_directories(); !made) return made;
  if (const Replaced replaced = replace_file(path_, bytes, kPrivate); !replaced)
    return cannot_store("write", path_, replaced.error().sys);
  struct stat info{};
  if (::stat(path_.c_str(), &info) == 0) origin.copy = stamp_of(info);
  record(origin);
  return {};
}

bool LocalCopy::holds(std::string_view bytes, const Stamp& stamp) const {
  if (stamp.size != bytes.size()) return false;
  const Copied<Found> found = read(bytes.size());
  return found && found->stamp == stamp && found->bytes == bytes;
}

void LocalCopy::record(const Origin& origin) const {
  // Without it the next refresh asks for everything: no reason to fail.
  (void)replace_file(origin_path(), to_text(origin), kPrivate);
}

Copied<void> LocalCopy::set_aside() const {
  (void)::unlink(origin_path().c_str());
  if (::rename(path_.c_str(), (path_ + ".broken").c_str()) != 0)
    return cannot("move aside", path_, errno);
  return {};
}

void LocalCopy::clear_leftovers() const {
  const std::string directory = directory_of(path_);
  const std::string name = path_.substr(path_.rfind('/') + 1);
  struct Close {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
  };
  const std::unique_ptr<DIR, Close> open(::opendir(directory.c_str()));
  if (!open) return;
  std::vector<std::string> found;
  while (const dirent* entry = ::readdir(open.get())) {
    if (is_temporary_of(name, entry->d_name) || is_temporary_of(name + ".origin", entry->d_name))
      found.push_back(std::string(directory).append("/").append(entry->d_name));
  }
  for (const std::string& path : found) (void)::unlink(path.c_str());
}

}  // namespace sluice::provider
