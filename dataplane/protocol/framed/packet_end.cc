#include "dataplane/protocol/framed/packet_end.h"

#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::framed {
namespace {

/// Reads of one wake-up before other work gets its turn.
constexpr unsigned kReadsPerTurn = 4;

}  // namespace

void PacketEnd::start() noexcept {
  end_->set_sink(this);
  later(0_ms);  // what is already here is handed on in the loop's next turn
}

void PacketEnd::set_sink(transport::PacketSink* sink) noexcept {
  sink_ = sink;
  start();
}

void PacketEnd::set_frame_sink(FrameSink* sink) noexcept {
  frame_sink_ = sink;
  start();
}

/// Copies one whole frame behind the others; false, and nothing added, when there is no slice.
bool PacketEnd::add_frame(ByteView frame, Slice& current, SliceQueue& out,
                          transport::End& end) noexcept {
  if (!current || current.tailroom() < frame.size() + kTailroom) {
    auto fresh = Slice::make(end.pool(), end.headroom());
    if (!fresh || fresh->tailroom() < frame.size()) return false;
    out.push_back(std::move(current));
    current = std::move(*fresh);
  }
  current.append(frame);
  return true;
}

std::size_t PacketEnd::send(std::span<transport::OutPacket> batch) noexcept {
  SliceQueue out;
  Slice current;
  std::size_t taken = 0;
  std::size_t waiting = end_->queued();
  for (transport::OutPacket& one : batch) {
    if (waiting > transport::kOutMark) break;
    // What cannot be a frame is gone, and the next one may be good.
    if (push_frame_head(one.packet, *one.to)) {
      if (!add_frame(one.packet.bytes(), current, out, *end_)) break;
      waiting += one.packet.size;
    } else {
      ++full_;
    }
    ++taken;
  }
  full_ += batch.size() - taken;
  out.push_back(std::move(current));
  // A stream that fails here also ends for reading, which tells the sink.
  if (!out.empty()) (void)end_->write(out);
  return taken;
}

void PacketEnd::step() noexcept {
  if (end_->queued() != 0 && end_->writable()) (void)end_->flush();
  receive();  // may end this object's life
}

void PacketEnd::receive() noexcept {
  if (!deliver()) return;
  for (unsigned reads = 0; reads < kReadsPerTurn; ++reads) {
    const auto size = end_->read(in_, transport::kReadBudget);
    if (size && !deliver()) return;
    if (size) continue;
    if (size.error().code == Errc::again) return;
    if (size.error().code == Errc::no_room) {
      later(transport::kPoolRetry);
    } else {
      close(size.error());
    }
    return;
  }
  later(0_ms);
}

/// Hands on every whole frame; false when the pool is empty, and then a later turn goes on.
bool PacketEnd::deliver() noexcept {
  for (;;) {
    Result<std::optional<Frame>> frame = reader_.next(in_, end_->pool());
    if (!frame) {
      later(transport::kPoolRetry);
      return false;
    }
    if (!*frame) return true;
    Frame& one = **frame;
    if (frame_sink_ != nullptr) {
      frame_sink_->on_frame(one.address, one.packet);
    } else {
      one.packet.from = socks::to_endpoint(one.address);
      sink_->on_packets(std::span(&one.packet, 1));
    }
  }
}

void PacketEnd::close(Error reason) noexcept {
  disarm();
  end_->set_sink(nullptr);
  if (frame_sink_ != nullptr) {
    frame_sink_->on_closed(reason);
  } else {
    sink_->on_closed(reason);
  }
}

}  // namespace sluice::framed
