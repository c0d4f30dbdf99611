// The calls are wrapped by the linker (meson.build), in this program only.
#include "tests/unit/controlplane/ruleset/failing_calls.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace {
/// Calls that still succeed; negative: all of them.
int calls_left = -1;

bool fails() {
  if (calls_left < 0) return false;
  if (calls_left-- > 0) return false;
  errno = ENOSPC;
  return true;
}
}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names.
extern "C" {
int __real_open64(const char* path, int flags, mode_t mode);
ssize_t __real_write(int fd, const void* bytes, size_t size);
int __real_rename(const char* from, const char* to);
int __real_mkdir(const char* path, mode_t mode);
void* __real_mmap64(void* at, size_t size, int prot, int flags, int fd, off_t offset);

int __wrap_open64(const char* path, int flags, mode_t mode) {
  return fails() ? -1 : __real_open64(path, flags, mode);
}
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  return fails() ? -1 : __real_write(fd, bytes, size);
}
int __wrap_rename(const char* from, const char* to) {
  return fails() ? -1 : __real_rename(from, to);
}
int __wrap_mkdir(const char* path, mode_t mode) {
  return fails() ? -1 : __real_mkdir(path, mode);
}
void* __wrap_mmap64(void* at, size_t size, int prot, int flags, int fd, off_t offset) {
  return fails() ? MAP_FAILED : __real_mmap64(at, size, prot, flags, fd, offset);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace sluice::sets {

void fail_after(int calls) {
  calls_left = calls;
}

bool fail_never() {
  const bool failed = calls_left < 0;
  calls_left = -1;
  return failed;
}

}  // namespace sluice::sets
