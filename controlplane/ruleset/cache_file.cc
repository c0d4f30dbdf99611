#include "controlplane/ruleset/cache_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "proto/common/error_text.h"
#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"

namespace sluice::sets {
namespace {

constexpr mode_t kPrivate = 0600;
constexpr mode_t kDirectory = 0700;

std::unexpected<std::string> cannot_write(const std::string& path, int sys) {
  return std::unexpected("cannot write " + path + ": " + describe(error_from_errno(sys)));
}

std::string above(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

bool make_directory(const std::string& path) {
  return ::mkdir(path.c_str(), kDirectory) == 0 || errno == EEXIST;
}

/// errno says why not.
bool fill(const std::string& path, std::initializer_list<ByteView> pieces) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kPrivate));
  if (!fd.valid()) return false;
  for (const ByteView piece : pieces) {
    if (const Status written = write_whole(fd.get(), as_text(piece)); !written) {
      errno = written.error().sys;
      return false;
    }
  }
  return true;
}

struct CloseDirectory {
  void operator()(DIR* open) const noexcept { ::closedir(open); }
};

}  // namespace

Written write_cache_file(const std::string& path, std::initializer_list<ByteView> pieces) {
  const std::string directory = above(path);
  if (!make_directory(directory) &&
      (errno != ENOENT || !make_directory(above(directory)) || !make_directory(directory)))
    return cannot_write(path, errno);
  const std::string temporary = path + ".new";
  if (!fill(temporary, pieces) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int sys = errno;
    ::unlink(temporary.c_str());
    return cannot_write(path, sys);
  }
  return {};
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> out;
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
  if (!open) return out;
  while (const dirent* entry = ::readdir(open.get()))
    if (entry->d_name[0] != '.') out.emplace_back(entry->d_name);
  return out;
}

}  // namespace sluice::sets
