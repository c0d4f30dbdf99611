// net/pipe_pool.h - pipes for splice, borrowed only while bytes are in flight.
//
// A user without CAP_SYS_RESOURCE has 64 MiB of pipe pages in all (facts, item 8); past that
// pipe2() still succeeds but with two pages, which would crawl. So the pool bounds itself, and a
// flow that gets no pipe relays through slices. A kernel that refused once is not asked again until
// the next trim(): a turn that fails costs five system calls.
//
// Owner: one worker. Thread: that worker's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
  std::size_t capacity = 0;  ///< bytes
};

/// Small: enough for most flows. Deep: for a flow that fills small ones; a quarter of the calls.
enum class PipeSize : std::uint8_t { small, deep };

class PipePool {
 public:
  static constexpr std::size_t kSmallBytes = std::size_t{256} * 1024;
  /// pipe-max-size: more needs a capability.
  static constexpr std::size_t kDeepBytes = std::size_t{1024} * 1024;

  /// `max_bytes`: this worker's share of the pipe pages. Deep pipes get half of it at most.
  explicit PipePool(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

  /// Deep is a wish: where the share does not allow it, the pipe is a small one.
  /// Errors: no_room (share used up, or the kernel's pages are), no_descriptors.
  [[nodiscard]] Result<Pipe> take(PipeSize wish) noexcept;
  /// The pipe must be empty; one that is not is given to drop().
  void give(Pipe pipe) noexcept;
  /// A pipe that is closed rather than given back.
  void drop(Pipe pipe) noexcept;
  /// Closes idle pipes: the deep ones, and small ones beyond `keep`; what the kernel refused may be
  /// asked for again. Called about once a second.
  void trim(std::size_t keep) noexcept;
  [[nodiscard]] std::size_t idle_count() const noexcept { return small_.size() + deep_.size(); }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return total_; }

 private:
  [[nodiscard]] Result<Pipe> open() noexcept;
  std::unexpected<Error> refuse(Error why) noexcept;
  void deepen(Pipe& pipe) noexcept;

  std::size_t max_bytes_;
  std::size_t total_ = 0;       ///< of all pipes, lent ones included
  std::size_t deep_total_ = 0;  ///< of the deep ones among them
  std::vector<Pipe> small_;     ///< idle
  std::vector<Pipe> deep_;      ///< idle
  Error refused_{};             ///< why the kernel opened none; none while it may
  bool deep_refused_ = false;
};

}  // namespace sluice
