// turn_meter.so - how long the event loops of a program it is preloaded into stay away from
// epoll_wait.
//
//   epoll_wait returns ── one turn ── epoll_wait is called again
//
// For each thread that waits so, the longest turn is kept in a file of the process (`PID.turns` in
// the folder that TURN_METER_FOLDER names), mapped shared before the program can drop its
// privileges. Reading it costs the program nothing, and whoever writes zeros there starts anew.
//
//   64 slots of 32 bytes, host order: thread id(8) | turns(8)
//   | longest CPU time of a turn, ns(8) | longest time of a turn without waits for a CPU, ns(8)
//
// The second one is the wall clock less the kernel's run_delay: CPU time and waits for locks, pages
// and devices. A turn belongs to the set that its thread waits on without polling: what a library
// polls in between is part of the turn.
//
// Threads: any; each writes its own slot.

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::size_t kSlots = 64;

struct Slot {
  std::atomic<std::int64_t> thread;
  std::atomic<std::uint64_t> turns;
  std::atomic<std::int64_t> longest_cpu_ns;
  std::atomic<std::int64_t> longest_own_ns;
};
static_assert(sizeof(Slot) == 32);

Slot* slots = nullptr;
std::atomic<std::size_t> used{0};

struct Reading {
  std::int64_t cpu_ns;
  std::int64_t own_ns;
};

struct Thread {
  Slot* slot = nullptr;
  int set = -1;        ///< the descriptor it waits on
  int schedstat = -1;  ///< "CPU time, time spent waiting for a CPU, slices"
  bool in_turn = false;
  Reading begin{};
};
thread_local Thread self;

__attribute__((constructor)) void map_file() {
  const char* folder = std::getenv("TURN_METER_FOLDER");
  if (folder == nullptr) return;
  char path[256];
  std::snprintf(path, sizeof path, "%s/%d.turns", folder, static_cast<int>(::getpid()));
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::ftruncate(fd, sizeof(Slot) * kSlots) == 0) {
    void* mapped =
        ::mmap(nullptr, sizeof(Slot) * kSlots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) slots = static_cast<Slot*>(mapped);
  }
  ::close(fd);
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::int64_t run_delay_ns() {
  char text[96];
  const ssize_t size = ::pread(self.schedstat, text, sizeof text - 1, 0);
  if (size <= 0) return 0;
  text[size] = '\0';
  char* rest = nullptr;
  (void)std::strtoll(text, &rest, 10);
  return std::strtoll(rest, nullptr, 10);
}

Reading read_clocks() {
  return {clock_ns(CLOCK_THREAD_CPUTIME_ID), clock_ns(CLOCK_MONOTONIC) - run_delay_ns()};
}

/// The first set that this thread waits on is the one whose turns count.
bool counts(int set, int timeout) {
  if (slots == nullptr) return false;
  if (self.set < 0 && timeout != 0) {
    const std::size_t mine = used.fetch_add(1);
    if (mine >= kSlots) return false;
    self.set = set;
    self.slot = &slots[mine];
    self.slot->thread = ::gettid();
    self.schedstat = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  }
  return self.set == set;
}

void raise(std::atomic<std::int64_t>& longest, std::int64_t value) {
  if (value > longest.load(std::memory_order_relaxed))
    longest.store(value, std::memory_order_relaxed);
}

void end_turn() {
  if (!self.in_turn) return;
  const Reading end = read_clocks();
  self.slot->turns.fetch_add(1, std::memory_order_relaxed);
  raise(self.slot->longest_cpu_ns, end.cpu_ns - self.begin.cpu_ns);
  raise(self.slot->longest_own_ns, end.own_ns - self.begin.own_ns);
}

}  // namespace

extern "C" int epoll_wait(int set, epoll_event* events, int count, int timeout) {
  const bool mine = counts(set, timeout);
  if (mine) end_turn();
  const int ready = ::epoll_pwait(set, events, count, timeout, nullptr);
  if (mine) {
    self.in_turn = true;
    self.begin = read_clocks();
  }
  return ready;
}
