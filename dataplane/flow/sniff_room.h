// flow/sniff_room.h - what a worker shares among its flows that are looked at.
//
// Owner: the engine. Thread: its worker. Its two bigger parts are made when they are first needed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dataplane/flow/sniff_failures.h"
#include "dataplane/sniff/quic_open.h"
#include "proto/runtime/buffer/slice_queue.h"

namespace sluice::flow {

class SniffRoom {
 public:
  [[nodiscard]] SniffFailures& failures() noexcept { return failures_; }
  /// nullptr: no cipher to be had.
  [[nodiscard]] sniff::InitialOpener* opener() noexcept;
  /// The first bytes of `queue`, at most sniff::kMaxStream, in one piece: in place where they lie
  /// so, else copied. Valid until the next call.
  [[nodiscard]] ByteView in_one_piece(SliceQueue& queue);

 private:
  SniffFailures failures_;
  std::unique_ptr<sniff::InitialOpener> opener_;
  std::vector<std::byte> copy_;
};

}  // namespace sluice::flow
