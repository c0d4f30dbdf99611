#include "dataplane/recovery/blob_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "dataplane/recovery/file.h"
#include "proto/common/whole_file.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kBlobEnding = ".blob";
constexpr std::string_view kUnnamed = "blob.new";    // of BlobWriter
constexpr std::string_view kNotWhole = ".blob.new";  // of keep_blob(), by replace_file()
constexpr mode_t kOwnerOnly = 0600;

std::string path_of(const std::string& dir, const contract::Digest& digest) {
  return dir + "/" + contract::to_text(digest) + std::string(kBlobEnding);
}

Result<contract::BlobPtr> map_blob(const std::string& path, const contract::Digest& digest) {
  auto file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const auto holder = std::make_shared<const MappedFile>(std::move(*file));
  return std::make_shared<const contract::Blob>(contract::Blob{digest, holder->bytes(), holder});
}

struct CloseDirectory {
  void operator()(DIR* dir) const noexcept { ::closedir(dir); }
};

}  // namespace

BlobWriter::~BlobWriter() {
  if (file_.valid()) ::unlink(temporary().c_str());
}

Status BlobWriter::write(ByteView piece) {
  if (size_ == 0)
    file_.reset(::open(temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                       kOwnerOnly));
  if (file_.valid() && !write_whole(file_.get(), as_text(piece)))
    if (const Status moved = move_to_memory(); !moved) return moved;
  if (!file_.valid()) memory_.insert(memory_.end(), piece.begin(), piece.end());
  digest_.update(piece);
  size_ += piece.size();
  return {};
}

/// The file may end with a part of a piece.
Status BlobWriter::move_to_memory() {
  const auto written = MappedFile::open(temporary());
  if (!written) return fail(written.error());
  const ByteView bytes = written->bytes().first(static_cast<std::size_t>(size_));
  memory_.assign(bytes.begin(), bytes.end());
  ::unlink(temporary().c_str());
  file_.reset();
  return {};
}

Result<contract::BlobPtr> BlobWriter::finish() {
  const contract::Digest digest = digest_.finish();
  if (file_.valid()) {
    const std::string path = path_of(dir_, digest);
    if (::rename(temporary().c_str(), path.c_str()) == 0) {
      file_.reset();
      return map_blob(path, digest);
    }
    if (const Status moved = move_to_memory(); !moved) return fail(moved.error());
  }
  memory_.shrink_to_fit();
  return contract::make_blob(digest, std::move(memory_));
}

Result<contract::BlobPtr> open_blob(const std::string& dir, const contract::Digest& digest) {
  auto blob = map_blob(path_of(dir, digest), digest);
  if (blob && contract::digest_of((*blob)->bytes) != digest) return fail(Errc::malformed);
  return blob;
}

Status keep_blob(const std::string& dir, const contract::Blob& blob) {
  const std::string path = path_of(dir, blob.digest);
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 &&
      static_cast<std::uint64_t>(info.st_size) == blob.bytes.size())
    return {};
  return replace_file(path, {blob.bytes});
}

void remove_blob(const std::string& dir, const contract::Digest& digest) noexcept {
  ::unlink(path_of(dir, digest).c_str());
}

void keep_only_blobs(const std::string& dir, std::span<const contract::BlobPtr> kept) {
  std::vector<std::string> names;
  for (const contract::BlobPtr& blob : kept)
    names.push_back(contract::to_text(blob->digest) + std::string(kBlobEnding));
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(dir.c_str()));
  if (open == nullptr) return;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    const bool is_blob = name.ends_with(kBlobEnding);
    const bool was_interrupted = name == kUnnamed || name.ends_with(kNotWhole);
    if (!was_interrupted && (!is_blob || std::ranges::find(names, name) != names.end())) continue;
    std::string path = dir;
    path.append("/").append(name);
    ::unlink(path.c_str());
  }
}

}  // namespace sluice::recovery
