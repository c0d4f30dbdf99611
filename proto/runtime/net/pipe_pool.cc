#include "proto/runtime/net/pipe_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace sluice {

Result<Pipe> PipePool::take() noexcept {
  if (!idle_.empty()) {
    Pipe pipe = std::move(idle_.back());
    idle_.pop_back();
    return pipe;
  }
  if (total_ + size_ > max_bytes_) return fail(Errc::no_room);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) return fail_errno(errno);
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1]), 0};
  int got = ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(size_));
  if (got < 0) got = ::fcntl(ends[1], F_GETPIPE_SZ);
  // Below 64 KiB the user's pages are used up (by another process of the uid): slices are faster.
  if (got < 64 * 1024) return fail(Errc::no_room);
  pipe.capacity = static_cast<std::size_t>(got);
  total_ += pipe.capacity;
  idle_.reserve(idle_.size() + 1);
  return pipe;
}

void PipePool::give(Pipe pipe) noexcept {
  idle_.push_back(std::move(pipe));
}

void PipePool::trim(std::size_t keep) noexcept {
  while (idle_.size() > keep) {
    drop(std::move(idle_.back()));
    idle_.pop_back();
  }
}

}  // namespace sluice
