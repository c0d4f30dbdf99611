#include "controlplane/config_store/atomic_file.h"

#include <fcntl.h>

#include <cerrno>

#include "proto/common/config_size.h"
#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"

namespace sluice::config_store {
namespace {

StoreFault fault_of(ReplaceFault fault) noexcept {
  switch (fault) {
    case ReplaceFault::read_only:
      return StoreFault::read_only;
    case ReplaceFault::other_owner:
      return StoreFault::other_owner;
    case ReplaceFault::no_directory:
      return StoreFault::no_directory;
    case ReplaceFault::write_failed:
      return StoreFault::write_failed;
  }
  return StoreFault::write_failed;
}

Stored<void> named(const Replaced& replaced, const std::string& path) {
  if (replaced) return {};
  return store_fail(fault_of(replaced.error().fault), path, replaced.error().sys);
}

}  // namespace

Stored<void> may_replace(const std::string& path) {
  return named(sluice::may_replace(path), path);
}

Stored<void> replace_file(const std::string& path, std::string_view content, mode_t mode_if_new) {
  if (content.size() > kMaxConfigBytes) return store_fail(StoreFault::too_large, path);
  return named(sluice::replace_file(path, content, mode_if_new), path);
}

Stored<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return store_fail(StoreFault::read_failed, path, errno);
  return read_file(fd.get(), path);
}

Stored<std::string> read_file(int fd, const std::string& path) {
  auto text = read_whole(fd, kMaxConfigBytes);
  if (text) return std::move(*text);
  const Error& error = text.error();
  if (error.code == Errc::too_large) return store_fail(StoreFault::too_large, path);
  return store_fail(StoreFault::read_failed, path, error.sys);
}

}  // namespace sluice::config_store
