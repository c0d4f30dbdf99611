#include "dataplane/helper/process_finder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>

#include "dataplane/helper/process_commands.h"

namespace sluice::proc {
namespace {

constexpr std::size_t kLately = 16;           // programs that are busy at the same time
constexpr unsigned kLinksBetweenLooks = 256;  // at the clock: a quarter of a millisecond
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// A folder that is read to its end.
class Folder {
 public:
  explicit Folder(int fd) noexcept : stream_(fd >= 0 ? ::fdopendir(fd) : nullptr) {
    if (fd >= 0 && stream_ == nullptr) ::close(fd);
  }
  [[nodiscard]] bool valid() const noexcept { return stream_ != nullptr; }
  [[nodiscard]] int fd() const noexcept { return ::dirfd(stream_.get()); }
  /// nullptr at the end.
  [[nodiscard]] const char* next() noexcept {
    const dirent* entry = ::readdir(stream_.get());
    return entry != nullptr ? entry->d_name : nullptr;
  }

 private:
  struct Close {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
  };
  std::unique_ptr<DIR, Close> stream_;
};

/// A whole decimal number above 0; 0 for anything else.
template <class T>
T number_in(std::string_view text) noexcept {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && value > 0 ? value
                                                                                          : T{};
}

/// The inode of the socket that a link names; 0 when it names none.
std::uint32_t socket_at(int folder, const char* name) noexcept {
  std::array<char, 64> room;
  const ssize_t size = ::readlinkat(folder, name, room.data(), room.size());
  if (size <= 0) return 0;
  std::string_view target(room.data(), static_cast<std::size_t>(size));
  constexpr std::string_view kBegin = "socket:[";
  if (!target.starts_with(kBegin) || !target.ends_with(']')) return 0;
  target.remove_prefix(kBegin.size());
  target.remove_suffix(1);
  return number_in<std::uint32_t>(target);
}

bool all_found(std::span<const Wanted> wanted) noexcept {
  return std::ranges::all_of(wanted, [](const Wanted& w) { return w.pid != 0; });
}

}  // namespace

Result<ProcessFinder> ProcessFinder::open() {
  UniqueFd root(::open("/proc", kFolder));
  if (!root.valid()) return fail_errno(errno);
  return ProcessFinder(std::move(root));
}

std::vector<pid_t> ProcessFinder::candidates() const {
  std::vector<pid_t> pids;
  Folder folder(::openat(root_.get(), ".", kFolder));
  if (!folder.valid()) return pids;
  while (const char* name = folder.next()) {
    if (const auto pid = number_in<pid_t>(name); pid != 0) pids.push_back(pid);
  }
  std::ranges::sort(pids, std::greater());
  // Behind each other, and in front of the rest in their order.
  auto front = pids.begin();
  for (const pid_t pid : lately_) {
    const auto at = std::find(front, pids.end(), pid);
    if (at == pids.end()) continue;
    std::rotate(front, at, at + 1);
    ++front;
  }
  return pids;
}

/// False at the deadline.
bool ProcessFinder::walk(pid_t pid, std::span<Wanted> wanted, Moment deadline) {
  const std::string path = std::to_string(pid) + "/fd";
  Folder folder(::openat(root_.get(), path.c_str(), kFolder));
  if (!folder.valid()) return true;
  unsigned links = 0;
  while (const char* name = folder.next()) {
    if (++links % kLinksBetweenLooks == 0 && monotonic_now() >= deadline) return false;
    const std::uint32_t inode = socket_at(folder.fd(), name);
    if (inode == 0) continue;
    for (Wanted& w : wanted) {
      if (w.inode != inode || w.pid != 0) continue;
      w.pid = pid;
      remember(pid);
      if (all_found(wanted)) return true;
    }
  }
  return true;
}

bool ProcessFinder::find(std::span<Wanted> wanted, Moment deadline) {
  for (const pid_t pid : candidates()) {
    if (!walk(pid, wanted, deadline)) return false;
    if (all_found(wanted)) return true;
    if (monotonic_now() >= deadline) return false;
  }
  return true;
}

void ProcessFinder::remember(pid_t pid) {
  std::erase(lately_, pid);
  lately_.insert(lately_.begin(), pid);
  if (lately_.size() > kLately) lately_.pop_back();
}

Result<std::string> ProcessFinder::executable(pid_t pid) const {
  const std::string link = std::to_string(pid) + "/exe";
  constexpr std::string_view kDeleted = " (deleted)";
  std::string path(kMaxPath_bytes + kDeleted.size() + 1, '\0');
  const ssize_t size = ::readlinkat(root_.get(), link.c_str(), path.data(), path.size());
  if (size <= 0) return fail_errno(size == 0 ? ENOENT : errno);
  path.resize(static_cast<std::size_t>(size));
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  if (path.size() > kMaxPath_bytes) return fail(Errc::too_large, Side::us, ENAMETOOLONG);
  if (!path.starts_with('/')) return fail(Errc::not_found, Side::us, ENOENT);
  return path;
}

}  // namespace sluice::proc
