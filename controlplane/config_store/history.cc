#include "controlplane/config_store/history.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include "controlplane/config_store/atomic_file.h"
#include "controlplane/config_store/store_limits.h"
#include "proto/common/text.h"

namespace sluice::config_store {
namespace {

constexpr std::string_view kSuffix = ".yaml";
constexpr std::size_t kOrderDigits = 8;

std::optional<Version> parse_name(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash < kOrderDigits) return std::nullopt;
  const Result<std::uint64_t> order = parse_number(name.substr(0, dash), UINT64_MAX - 1);
  const Result<std::uint64_t> wall = parse_number(name.substr(dash + 1), INT64_MAX);
  if (!order || !wall) return std::nullopt;
  return Version{*order, static_cast<std::int64_t>(*wall), {}};
}

std::string make_name(std::uint64_t order, std::int64_t wall_ms) {
  char name[64];
  std::snprintf(name, sizeof name, "%0*llu-%lld%s", static_cast<int>(kOrderDigits),
                static_cast<unsigned long long>(order),
                static_cast<long long>(std::max<std::int64_t>(wall_ms, 0)), kSuffix.data());
  return name;
}

struct CloseDirectory {
  void operator()(DIR* d) const noexcept { ::closedir(d); }
};

std::vector<Version> scan(const std::string& directory) {
  std::vector<Version> out;
  const std::unique_ptr<DIR, CloseDirectory> dir(::opendir(directory.c_str()));
  if (!dir) return out;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::optional<Version> version = parse_name(entry->d_name);
    if (!version) continue;
    version->path = directory + "/" + entry->d_name;
    out.push_back(std::move(*version));
  }
  std::ranges::sort(out, std::ranges::greater(), &Version::order);
  return out;
}

}  // namespace

std::vector<Version> History::list() const {
  std::vector<Version> out = scan(directory_);
  if (out.size() > kHistoryCount) out.resize(kHistoryCount);
  return out;
}

Stored<void> History::add(std::string_view text, std::int64_t wall_ms) const {
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    return store_fail(StoreFault::no_directory, directory_, errno);
  std::vector<Version> kept = scan(directory_);
  if (!kept.empty()) {
    const Stored<std::string> newest = read_file(kept.front().path);
    if (newest && *newest == text) return {};
  }
  const std::uint64_t order = kept.empty() ? 1 : kept.front().order + 1;
  const Stored<void> written =
      replace_file(directory_ + "/" + make_name(order, wall_ms), text, 0600);
  if (!written) return written;
  // The new one counts; a file that will not go away costs room, not correctness.
  for (std::size_t i = kHistoryCount - 1; i < kept.size(); ++i) ::unlink(kept[i].path.c_str());
  return {};
}

}  // namespace sluice::config_store
