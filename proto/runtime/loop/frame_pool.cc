#include "proto/runtime/loop/frame_pool.h"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "proto/runtime/buffer/budget.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLUICE_PLAIN_FRAMES true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLUICE_PLAIN_FRAMES true
#endif
#endif
#ifndef SLUICE_PLAIN_FRAMES
#define SLUICE_PLAIN_FRAMES false
#endif

namespace sluice::frame_pool {
namespace {

// Under AddressSanitizer every frame is an allocation of its own, so that misuse is seen.
constexpr bool kPlainFrames = SLUICE_PLAIN_FRAMES;
constexpr std::size_t kClassStep = 64;
constexpr std::size_t kClasses = kMaxPooled / kClassStep;
constexpr std::size_t kSlabBytes = 32 * 1024;  // aligned to its size: an object finds its slab

struct Free {
  Free* next;
};

struct Slab {
  Slab* next;
  Slab* previous;
  Free* free;
  std::uint32_t used;
  std::uint32_t capacity;
};
constexpr std::size_t kSlabHead = 64;
static_assert(sizeof(Slab) <= kSlabHead);

struct Class {
  Slab* partial = nullptr;  // slabs with at least one free object
  std::size_t empty_count = 0;
};

struct Pool {
  Pool() noexcept = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { drop_empty(); }

  void add(std::size_t size) noexcept {
    held += size;
    if (budget != nullptr) budget->charge_anyway(size);
  }
  void remove(Class& c, Slab* slab) noexcept;
  void drop_empty() noexcept;

  std::array<Class, kClasses> classes;
  std::size_t held = 0;
  MemoryBudget* budget = nullptr;
};

thread_local Pool pool;

std::size_t class_of(std::size_t size) noexcept {
  return size == 0 ? 0 : (size - 1) / kClassStep;
}

Slab* slab_of(void* memory) noexcept {
  return reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(memory) & ~(kSlabBytes - 1));
}

void link(Class& c, Slab* slab) noexcept {
  slab->previous = nullptr;
  slab->next = c.partial;
  if (c.partial != nullptr) c.partial->previous = slab;
  c.partial = slab;
}

void unlink(Class& c, Slab* slab) noexcept {
  (slab->previous != nullptr ? slab->previous->next : c.partial) = slab->next;
  if (slab->next != nullptr) slab->next->previous = slab->previous;
}

void Pool::remove(Class& c, Slab* slab) noexcept {
  unlink(c, slab);
  ::munmap(slab, kSlabBytes);
  held -= kSlabBytes;
  if (budget != nullptr) budget->release(kSlabBytes);
}

void Pool::drop_empty() noexcept {
  for (Class& c : classes) {
    for (Slab* slab = c.partial; slab != nullptr && c.empty_count != 0;) {
      Slab* next = slab->next;
      if (slab->used == 0) {
        remove(c, slab);
        --c.empty_count;
      }
      slab = next;
    }
  }
}

Slab* make_slab(std::size_t object_size) noexcept {
  // Over-map and trim, since mmap aligns to pages only.
  void* raw =
      ::mmap(nullptr, 2 * kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) std::abort();
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (start + kSlabBytes - 1) & ~(kSlabBytes - 1);
  if (aligned != start) ::munmap(raw, aligned - start);
  const std::uintptr_t end = start + 2 * kSlabBytes;
  if (aligned + kSlabBytes != end)
    ::munmap(reinterpret_cast<void*>(aligned + kSlabBytes), end - aligned - kSlabBytes);
  auto* slab = new (reinterpret_cast<void*>(aligned)) Slab{};
  slab->capacity = static_cast<std::uint32_t>((kSlabBytes - kSlabHead) / object_size);
  auto* memory = reinterpret_cast<std::byte*>(slab) + kSlabHead;
  // Linked from the back, so that objects are handed out in address order and pages fill in turn.
  for (std::uint32_t i = slab->capacity; i-- > 0;)
    slab->free = new (memory + i * object_size) Free{slab->free};
  pool.add(kSlabBytes);
  return slab;
}

}  // namespace

void* allocate(std::size_t size) noexcept {
  if (kPlainFrames || size > kMaxPooled) {
    void* memory = std::malloc(size);
    if (memory == nullptr) std::abort();
    return memory;
  }
  const std::size_t index = class_of(size);
  Class& c = pool.classes[index];
  if (c.partial == nullptr) {
    link(c, make_slab((index + 1) * kClassStep));
    ++c.empty_count;
  }
  Slab* slab = c.partial;
  if (slab->used == 0) --c.empty_count;
  Free* object = slab->free;
  slab->free = object->next;
  if (++slab->used == slab->capacity) unlink(c, slab);
  return object;
}

void release(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return;
  if (kPlainFrames || size > kMaxPooled) {
    std::free(memory);
    return;
  }
  Class& c = pool.classes[class_of(size)];
  Slab* slab = slab_of(memory);
  if (slab->used == slab->capacity) link(c, slab);
  slab->free = new (memory) Free{slab->free};
  if (--slab->used != 0) return;
  if (c.empty_count != 0) {
    pool.remove(c, slab);
    return;
  }
  ++c.empty_count;
}

void trim() noexcept {
  pool.drop_empty();
}

void charge_to(MemoryBudget& budget) noexcept {
  pool.budget = &budget;
  budget.charge_anyway(pool.held);
}

std::size_t held() noexcept {
  return pool.held;
}

}  // namespace sluice::frame_pool
