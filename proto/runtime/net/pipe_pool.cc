#include "proto/runtime/net/pipe_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace sluice {
namespace {

/// Below this the user's pages are used up (by another process of the uid): slices are faster.
constexpr int kLeastBytes = 64 * 1024;

bool is_deep(const Pipe& pipe) noexcept {
  return pipe.capacity > PipePool::kSmallBytes;
}

Pipe pop(std::vector<Pipe>& pipes) noexcept {
  Pipe pipe = std::move(pipes.back());
  pipes.pop_back();
  return pipe;
}

}  // namespace

Result<Pipe> PipePool::take(PipeSize wish) noexcept {
  if (wish == PipeSize::deep && !deep_.empty()) return pop(deep_);
  if (small_.empty() && !deep_.empty()) return pop(deep_);
  Result<Pipe> pipe = small_.empty() ? open() : Result<Pipe>(pop(small_));
  if (pipe && wish == PipeSize::deep) deepen(*pipe);
  return pipe;
}

Result<Pipe> PipePool::open() noexcept {
  if (refused_.code != Errc::none) return fail(refused_);
  if (total_ + kSmallBytes > max_bytes_) return fail(Errc::no_room);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) return refuse(error_from_errno(errno));
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1]), 0};
  int got = ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kSmallBytes));
  if (got < 0) got = ::fcntl(ends[1], F_GETPIPE_SZ);
  if (got < kLeastBytes) return refuse(Error{Errc::no_room});
  pipe.capacity = static_cast<std::size_t>(got);
  total_ += pipe.capacity;
  return pipe;
}

std::unexpected<Error> PipePool::refuse(Error why) noexcept {
  refused_ = why;
  return fail(why);
}

void PipePool::deepen(Pipe& pipe) noexcept {
  if (deep_refused_) return;
  const std::size_t others = total_ - pipe.capacity;
  if (others + kDeepBytes > max_bytes_ || deep_total_ + kDeepBytes > max_bytes_ / 2) return;
  const int got = ::fcntl(pipe.write.get(), F_SETPIPE_SZ, static_cast<int>(kDeepBytes));
  if (got < 0) {  // the user's pages are used up: it stays small
    deep_refused_ = true;
    return;
  }
  pipe.capacity = static_cast<std::size_t>(got);
  total_ = others + pipe.capacity;
  deep_total_ += pipe.capacity;
}

void PipePool::give(Pipe pipe) noexcept {
  (is_deep(pipe) ? deep_ : small_).push_back(std::move(pipe));
}

void PipePool::drop(Pipe pipe) noexcept {
  total_ -= pipe.capacity;
  if (is_deep(pipe)) deep_total_ -= pipe.capacity;
}

void PipePool::trim(std::size_t keep) noexcept {
  while (!deep_.empty()) drop(pop(deep_));
  while (small_.size() > keep) drop(pop(small_));
  refused_ = {};
  deep_refused_ = false;
}

}  // namespace sluice
