#include "controlplane/ruleset/block_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "controlplane/ruleset/block_file.h"
#include "controlplane/ruleset/bounds.h"
#include "controlplane/ruleset/cache_file.h"
#include "controlplane/ruleset/mapped_file.h"
#include "proto/ruleset/bounds.h"

namespace sluice::sets {
namespace {

/// A block with the most problems beside it.
constexpr std::size_t kMaxFile_bytes =
    static_cast<std::size_t>(ruleset::kMaxBlock_bytes) + kMaxProblems * 2 * kMaxProblemText_bytes;

struct Kept {
  std::string path;
  std::int64_t used_s = 0;
  long used_ns = 0;
};

bool used_later(const Kept& a, const Kept& b) noexcept {
  return a.used_s != b.used_s ? a.used_s > b.used_s : a.used_ns > b.used_ns;
}

}  // namespace

std::string BlockCache::path_of(const contract::Digest& key) const {
  return directory_ + "/" + contract::to_text(key) + ".block";
}

std::optional<CachedBlock> BlockCache::get(const contract::Digest& key) {
  const std::string path = path_of(key);
  auto mapped = MappedFile::open(path, kMaxFile_bytes);
  if (!mapped) {
    const Errc why = mapped.error().code;
    if (why == Errc::malformed || why == Errc::too_large) ::unlink(path.c_str());
    return std::nullopt;
  }
  auto file = open_block_file(mapped->bytes(), key);
  if (!file) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  // What is used last stays longest; without it, what was written last.
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  const auto holder = std::make_shared<const MappedFile>(std::move(*mapped));
  const auto blob =
      std::make_shared<const contract::Blob>(contract::Blob{file->digest, file->block, holder});
  return CachedBlock{blob, std::move(file->problems)};
}

contract::BlobPtr BlockCache::put(const contract::Digest& key, contract::BlobPtr blob,
                                  std::span<const SetProblem> problems) {
  const BlockFrame frame = frame_block(key, blob->digest, blob->bytes, problems);
  const Written written =
      write_cache_file(path_of(key), {ByteView(frame.head), blob->bytes, ByteView(frame.tail)});
  if (!written) {
    if (!complained_) complaint_ = written.error();
    complained_ = true;
    return blob;
  }
  complained_ = false;
  remove_old();
  auto mapped = get(key);
  return mapped ? std::move(mapped->blob) : std::move(blob);
}

void BlockCache::remove_old() const {
  std::vector<Kept> all;
  for (const std::string& name : names_in(directory_)) {
    Kept file{directory_ + "/" + name};
    struct stat info{};
    if (!name.ends_with(".block") || ::lstat(file.path.c_str(), &info) != 0) {
      ::unlink(file.path.c_str());
      continue;
    }
    file.used_s = info.st_mtim.tv_sec;
    file.used_ns = info.st_mtim.tv_nsec;
    all.push_back(std::move(file));
  }
  std::ranges::sort(all, used_later);
  for (std::size_t i = kKeptBlocks; i < all.size(); ++i) ::unlink(all[i].path.c_str());
}

std::optional<std::string> BlockCache::take_complaint() {
  if (complaint_.empty()) return std::nullopt;
  return std::exchange(complaint_, {});
}

}  // namespace sluice::sets
