#include "controlplane/provider/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <utility>

#include "controlplane/provider/bounds.h"
#include "proto/common/log.h"

namespace sluice::provider {
namespace {

constexpr std::uint32_t kNames =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::uint32_t kItself = IN_DELETE_SELF | IN_MOVE_SELF;
/// The kernel says these unasked.
constexpr std::uint32_t kLost = IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW;

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// Where `path` leads; empty when that is nowhere.
std::string target_of(const std::string& path) {
  std::array<char, PATH_MAX> out;
  return ::realpath(path.c_str(), out.data()) == nullptr ? "" : std::string(out.data());
}

bool is_link(const std::string& path) noexcept {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

std::int64_t nanoseconds(const timespec& at) noexcept {
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

}  // namespace

FileWatch::FileWatch(Loop& loop, std::string path, Event& changed)
    : loop_(loop), path_(std::move(path)), name_(split(path_).second), changed_(changed) {
  aim();
  seen_ = identity();
  if (told()) return;
  SLUICE_LOG(info, "provider", "%s: the kernel tells no changes, it is looked at every %lld s",
             path_.c_str(), static_cast<long long>(kPoll.count / 1000));
}

void FileWatch::aim() {
  notify_.reset();
  linked_ = is_link(path_);
  std::string target = target_of(path_);
  const bool dangling = target.empty() && linked_;
  if (target.empty()) target = path_;
  const auto [directory, name] = split(path_);
  const auto [target_directory, target_name] = split(target);
  target_name_ = target_name;
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const std::uint32_t mask = kNames | kItself | IN_ONLYDIR;
  if (!dangling && fd.valid() && ::inotify_add_watch(fd.get(), directory.c_str(), mask) >= 0 &&
      ::inotify_add_watch(fd.get(), target_directory.c_str(), mask) >= 0) {
    if (auto watch = Watch::make(loop_, std::move(fd))) notify_ = std::move(*watch);
  }
  if (notify_)
    notify_->set_sink(this);
  else
    loop_.arm(*this, loop_.now() + kPoll);
}

FileWatch::Identity FileWatch::identity() const noexcept {
  struct stat info{};
  if (::stat(path_.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, nanoseconds(info.st_mtim),
          nanoseconds(info.st_ctim)};
}

FileWatch::Concern FileWatch::concern_of(const inotify_event& event) const noexcept {
  if ((event.mask & (kItself | kLost)) != 0) return Concern::surely;
  if (event.len == 0) return Concern::none;
  const std::string_view name(event.name);
  if (name != name_ && name != target_name_) return linked_ ? Concern::perhaps : Concern::none;
  if ((event.mask & IN_CREATE) == 0) return Concern::surely;
  // An opened file is told again when it is closed; links, soft and hard, are there at once.
  struct stat info{};
  const bool whole =
      ::lstat(path_.c_str(), &info) == 0 && (S_ISLNK(info.st_mode) || info.st_nlink > 1);
  return whole ? Concern::surely : Concern::none;
}

FileWatch::Concern FileWatch::drain_events() noexcept {
  alignas(inotify_event) std::array<char, 4096> buffer;
  Concern most = Concern::none;
  for (;;) {
    const ssize_t size = ::read(notify_->fd(), buffer.data(), buffer.size());
    if (size <= 0) break;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      most = std::max(most, concern_of(*event));
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  notify_->clear_readable();
  return most;
}

void FileWatch::on_ready() noexcept {
  const Concern concern = drain_events();
  pending_ = std::max(pending_, concern);
  if (concern != Concern::none && !armed()) loop_.arm(*this, loop_.now() + kSettle);
}

void FileWatch::fire() noexcept {
  aim();  // links may lead elsewhere now, directories may be others
  const Identity now = identity();
  if (std::exchange(pending_, Concern::none) == Concern::surely || now != seen_) changed_.set();
  seen_ = now;
}

}  // namespace sluice::provider
