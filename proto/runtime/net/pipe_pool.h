// net/pipe_pool.h - pipes for splice, borrowed only while bytes are in flight.
//
// A user without CAP_SYS_RESOURCE has 64 MiB of pipe pages in all (facts, item 8); past that
// pipe2() still succeeds but with two pages, which would crawl. So the pool bounds itself, and a
// flow that gets no pipe relays through slices.
//
// Owner: one worker. Thread: that worker's.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
  std::size_t capacity = 0;  ///< bytes
};

class PipePool {
 public:
  /// `max_bytes`: this worker's share of the pipe pages. `size`: wanted capacity of each pipe.
  PipePool(std::size_t max_bytes, std::size_t size) noexcept : max_bytes_(max_bytes), size_(size) {}

  /// Errors: no_room (share used up), no_descriptors.
  [[nodiscard]] Result<Pipe> take() noexcept;
  /// The pipe must be empty; one that is not is closed by letting it go out of scope instead.
  void give(Pipe pipe) noexcept;
  /// A pipe that is closed rather than given back.
  void drop(Pipe pipe) noexcept { total_ -= pipe.capacity; }
  /// Closes idle pipes beyond `keep`. Called about once a second.
  void trim(std::size_t keep) noexcept;
  [[nodiscard]] std::size_t idle_count() const noexcept { return idle_.size(); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return total_; }

 private:
  std::size_t max_bytes_;
  std::size_t size_;
  std::size_t total_ = 0;
  std::vector<Pipe> idle_;
};

}  // namespace sluice
