#include "controlplane/ruleset/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "proto/common/unique_fd.h"

namespace sluice::sets {

Result<MappedFile> MappedFile::open(const std::string& path, std::size_t most) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!fd.valid() && errno == ENOENT) return fail(Errc::not_found);
  struct stat info{};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return fail_errno(errno);
  if (!S_ISREG(info.st_mode) || info.st_size <= 0) return fail(Errc::malformed);
  if (static_cast<std::uint64_t>(info.st_size) > most) return fail(Errc::too_large);
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return fail_errno(errno);
  return MappedFile(ByteView(static_cast<const std::byte*>(at), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace sluice::sets
