// malloc_count.so - counts allocations of a program it is preloaded into.
//
// The counters live in a file that the environment variable MALLOC_COUNT_FOLDER names, one for each
// process (`PID.count`), mapped shared before the program can drop its privileges. Reading the file
// from outside costs the program nothing.
//
//   offset 0: allocations (malloc, calloc, realloc, aligned), 8 bytes, host order
//   offset 8: frees, 8 bytes
//
// Threads: any. The counters are relaxed atomics.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// The C library's own entries, by which the replacements below reach it.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

struct Counters {
  std::atomic<std::uint64_t> allocations;
  std::atomic<std::uint64_t> frees;
};

Counters own_counters{};
std::atomic<Counters*> counters{&own_counters};

void map_file() {
  const char* folder = std::getenv("MALLOC_COUNT_FOLDER");
  if (folder == nullptr) return;
  char path[256];
  std::snprintf(path, sizeof path, "%s/%d.count", folder, static_cast<int>(::getpid()));
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::ftruncate(fd, sizeof(Counters)) == 0) {
    void* mapped = ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) counters = static_cast<Counters*>(mapped);
  }
  ::close(fd);
}

__attribute__((constructor)) void start() {
  map_file();
}

void* counted(void* block) {
  counters.load(std::memory_order_relaxed)->allocations.fetch_add(1, std::memory_order_relaxed);
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) {
  return counted(__libc_calloc(count, size));
}
void* realloc(void* block, std::size_t size) {
  return counted(__libc_realloc(block, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block == nullptr ? 12 : 0;  // ENOMEM
}

void free(void* block) {
  if (block != nullptr) {
    counters.load(std::memory_order_relaxed)->frees.fetch_add(1, std::memory_order_relaxed);
  }
  __libc_free(block);
}

}  // extern "C"
