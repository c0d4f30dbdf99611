#include "controlplane/ruleset/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "proto/common/error_text.h"

namespace sluice::sets {
namespace {

std::unexpected<std::string> cannot(const char* what, const std::string& path, int sys) {
  return std::unexpected(std::string("cannot ") + what + " " + path + ": " +
                         describe(error_from_errno(sys)));
}

FileStamp stamp_of(const struct stat& info) noexcept {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size),
          static_cast<std::int64_t>(info.st_mtim.tv_sec) * kSecond_ns + info.st_mtim.tv_nsec};
}

}  // namespace

std::expected<FileBytes, std::string> FileBytes::open(const std::string& path, std::size_t most) {
  // Not blocking: the path may be a pipe.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid() && errno == ENOENT) return std::unexpected("there is no " + path);
  struct stat info{};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return cannot("open", path, errno);
  if (!S_ISREG(info.st_mode)) return std::unexpected(path + " is no regular file");
  const FileStamp stamp = stamp_of(info);
  if (stamp.size > most)
    return std::unexpected(path + " is larger than the limit of " + std::to_string(most) +
                           " bytes");
  return FileBytes(path, std::move(fd), stamp);
}

std::expected<std::string, std::string> FileBytes::read() const {
  std::string out(static_cast<std::size_t>(stamp_.size), '\0');
  std::size_t used = 0;
  while (used < out.size()) {
    const ssize_t n =
        ::pread(fd_.get(), out.data() + used, out.size() - used, static_cast<off_t>(used));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("read", path_, errno);
    if (n == 0) break;  // cut short meanwhile
    used += static_cast<std::size_t>(n);
  }
  out.resize(used);
  return out;
}

}  // namespace sluice::sets
