// transport/socket_end.h - a socket under a stack of layers.
//
//   read():   socket ─> [stage 0].wire ─> [stage 1].wire ─> … ─> `into`
//   write():  `from` ─> … ─> [stage 1].plain ─> [stage 0].plain ─> out ─> socket
//
// A stage's `wire` keeps an incomplete record; its `plain` keeps bytes that still have to be sealed
// (the reply of a layer above, or what an empty pool left behind). Both are empty in between, so an
// idle end holds no buffer. A layer that turned transparent is dropped and its queues pass through.
//
// Reading adapts: one block at first, more while reads come back full, so that a short message
// touches one block and a bulk flow needs one readv per 128 KiB.
//
// Owner: the flow. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/transport/end.h"
#include "dataplane/transport/layer.h"
#include "dataplane/transport/limits.h"

namespace sluice::transport {

class SocketEnd final : public End {
 public:
  SocketEnd(Socket socket, SlicePool& pool) noexcept : socket_(std::move(socket)), pool_(pool) {}

  /// Puts a layer on top: the last one pushed is next to the plain side. Before the first write
  /// through it; bytes that were unread() meanwhile are wire bytes of the new layer.
  void push(std::unique_ptr<Layer> layer);

  Result<std::size_t> read(SliceQueue& into, std::size_t budget) noexcept override;
  Status write(SliceQueue& from) noexcept override;
  Status flush() noexcept override;
  [[nodiscard]] std::size_t queued() const noexcept override;
  Status finish() noexcept override;
  void keep_alive(const KeepAlive& options) noexcept override {
    set_keep_alive(socket_.fd(), options);
  }
  void abort() noexcept override { socket_.reset_on_close(); }
  Status tick(Moment now) noexcept override;
  [[nodiscard]] Socket* bare() noexcept override;

  [[nodiscard]] bool readable() const noexcept override;
  [[nodiscard]] bool writable() const noexcept override { return socket_.watch().writable(); }
  void set_sink(WatchSink* sink) noexcept override { socket_.watch().set_sink(sink); }
  ReadinessAwait wait_readable(Until until) noexcept override {
    return sluice::readable(socket_.watch(), until);
  }
  ReadinessAwait wait_writable(Until until) noexcept override {
    return sluice::writable(socket_.watch(), until);
  }

  void unread(SliceQueue bytes) noexcept override;
  [[nodiscard]] std::size_t headroom() const noexcept override;
  [[nodiscard]] SlicePool& pool() noexcept override { return pool_; }
  [[nodiscard]] Loop& loop() noexcept override { return socket_.loop(); }
  [[nodiscard]] Endpoint local() const noexcept override { return socket_.local(); }
  [[nodiscard]] Endpoint remote() const noexcept override { return socket_.remote(); }

 private:
  struct Stage {
    std::unique_ptr<Layer> layer;
    SliceQueue wire;   ///< from below, not opened yet
    SliceQueue plain;  ///< from above, not sealed yet
    bool finished = false;
  };

  Result<std::size_t> read_socket(SliceQueue& into, std::size_t budget) noexcept;
  /// Where stage `i` puts what it sealed: the stage below, or the out-queue.
  SliceQueue& below(std::size_t i) noexcept { return i == 0 ? out_ : stages_[i - 1].plain; }
  Status open_up(SliceQueue& into) noexcept;
  Status open_stage(std::size_t i, SliceQueue& into, bool& dropped) noexcept;
  Status seal_down() noexcept;
  Status write_out() noexcept;
  void drop_stage(std::size_t i, SliceQueue& above) noexcept;
  void drop_transparent() noexcept;
  Result<std::size_t> end_input(Error why) noexcept;

  Socket socket_;
  SlicePool& pool_;
  std::vector<Stage> stages_;
  SliceQueue out_;     ///< sealed, for the socket
  SliceQueue unread_;  ///< plain, in front of everything read next
  Error input_end_{};  ///< why reading is over; none while it is not
  std::uint8_t read_blocks_ = 1;
  bool stalled_ = false;  ///< opening stopped for lack of slices: go on without reading
  bool finishing_ = false;
  bool fin_sent_ = false;
};

}  // namespace sluice::transport
