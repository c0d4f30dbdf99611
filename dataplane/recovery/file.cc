#include "dataplane/recovery/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"

namespace sluice::recovery {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return fail_errno(errno);
  struct stat file{};
  if (::fstat(fd.get(), &file) != 0) return fail_errno(errno);
  MappedFile out;
  const auto size = static_cast<std::size_t>(file.st_size);
  if (size == 0) return out;
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return fail_errno(errno);
  out.bytes_ = ByteView(static_cast<const std::byte*>(at), size);
  return out;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Status replace_file(const std::string& path, const std::vector<ByteView>& pieces) {
  const std::string temporary = path + ".new";
  const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(errno);
  Status written;
  for (const ByteView piece : pieces)
    if (written) written = write_whole(fd.get(), as_text(piece));
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = fail_errno(errno);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

void move_aside(const std::string& path) noexcept {
  ::rename(path.c_str(), (path + ".damaged").c_str());
}

}  // namespace sluice::recovery
