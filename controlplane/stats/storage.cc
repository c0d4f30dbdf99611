#include "controlplane/stats/storage.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sluice::stats {
namespace {

// linux/magic.h has not all of them.
constexpr std::uint64_t kUbifs = 0x24051905;
constexpr std::uint64_t kJffs2 = 0x72b6;
constexpr std::uint64_t kF2fs = 0xf2f52010;
constexpr std::uint64_t kOverlay = 0x794c7630;

bool is_card(const std::string& directory) {
  struct stat info{};
  if (::stat(directory.c_str(), &info) != 0) return false;
  const std::string link = "/sys/dev/block/" + std::to_string(major(info.st_dev)) + ":" +
                           std::to_string(minor(info.st_dev));
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size() - 1);
  return size > 0 && std::string_view(target.data()).find("/mmcblk") != std::string_view::npos;
}

std::uint64_t type_of(const std::string& directory) {
  struct statfs info{};
  if (::statfs(directory.c_str(), &info) != 0) return 0;
  return static_cast<std::uint32_t>(info.f_type);
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

bool is_at_or_above(std::string_view mount, std::string_view directory) {
  if (mount == "/") return true;
  return directory.starts_with(mount) &&
         (directory.size() == mount.size() || directory[mount.size()] == '/');
}

}  // namespace

bool is_flash_type(std::uint64_t filesystem_magic) noexcept {
  return filesystem_magic == kUbifs || filesystem_magic == kJffs2 || filesystem_magic == kF2fs;
}

// 36 35 98:0 /root /mount rw,noatime - overlay overlayfs:/overlay rw,upperdir=/overlay/upper,...
std::string upper_of_overlay(std::string_view mountinfo, std::string_view directory) {
  std::string_view best;
  std::string upper;
  while (!mountinfo.empty()) {
    std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
    mountinfo.remove_prefix(std::min(mountinfo.size(), line.size() + 1));
    for (int i = 0; i < 4; ++i) take_word(line);
    const std::string_view mount = take_word(line);
    if (!is_at_or_above(mount, directory) || mount.size() < best.size()) continue;
    best = mount;
    upper.clear();
    const std::size_t dash = line.find("- overlay ");
    const std::size_t at = line.find("upperdir=");
    if (dash == std::string_view::npos || at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + 9);
    upper = rest.substr(0, rest.find_first_of(", "));
  }
  return upper;
}

bool is_on_flash(const std::string& directory) {
  const std::uint64_t type = type_of(directory);
  if (type != kOverlay) return is_flash_type(type) || is_card(directory);
  std::array<char, PATH_MAX> real{};
  if (::realpath(directory.c_str(), real.data()) == nullptr) return false;
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string text{std::istreambuf_iterator<char>(mounts), {}};
  const std::string upper = upper_of_overlay(text, real.data());
  return !upper.empty() && (is_flash_type(type_of(upper)) || is_card(upper));
}

}  // namespace sluice::stats
