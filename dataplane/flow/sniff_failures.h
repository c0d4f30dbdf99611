// flow/sniff_failures.h - destinations whose clients say nothing that could be told apart: they are
// not waited for again and again.
//
// One of a server that speaks first costs each of its flows the whole wait. After more than
// kSniffFailures of them in a row its flows are not looked at for kSniffSkip.
//
// Owner: the engine. Thread: its worker. Bounded: the destination that failed longest ago goes.
#pragma once

#include <array>
#include <cstdint>

#include "dataplane/flow/limits.h"
#include "proto/common/clock.h"
#include "proto/common/name.h"

namespace sluice::flow {

class SniffFailures {
 public:
  /// The name, else the address, with the port: of streams, or of datagrams. 64 bits of it are told
  /// apart.
  [[nodiscard]] static std::uint64_t key_of(Network network,
                                            const Destination& destination) noexcept;

  [[nodiscard]] bool skips(std::uint64_t key, Moment now) const noexcept;
  void failed(std::uint64_t key, Moment now) noexcept;
  void worked(std::uint64_t key) noexcept;

 private:
  struct Row {
    std::uint64_t key = 0;
    unsigned count = 0;  ///< 0: free
    Moment last{};
  };
  std::array<Row, kSniffDestinations> rows_{};
};

}  // namespace sluice::flow
