// transport/layers.h - layers for tests: one that answers pings, one that grows records, one that
// turns transparent.
#pragma once

#include <algorithm>
#include <string>

#include "dataplane/transport/layer.h"
#include "proto/common/cursor.h"

namespace sluice::test {

/// Records are `D`, a length byte and data, or `P`, which is answered by `Q`. No heads on the way
/// out: what is sealed is `D`, length, data as well.
class PingLayer final : public transport::Layer {
 public:
  explicit PingLayer(SlicePool& pool) : pool_(pool) {}
  [[nodiscard]] transport::LayerShape shape() const noexcept override { return {2, 0, 255}; }
  [[nodiscard]] transport::LayerState state() const noexcept override { return state_; }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue& reply) noexcept override {
    while (!wire.empty()) {
      std::array<std::byte, 2> head{};
      const std::size_t have = wire.peek(head);
      const char type = static_cast<char>(head[0]);
      if (type == 'P') {
        const Status copied = reply.copy_in(pool_, as_byte_view("Q"));
        if (!copied) return copied;
        wire.consume(1);
        continue;
      }
      if (type == 'E') {
        wire.consume(1);
        state_ = transport::LayerState::half_closed;
        return {};
      }
      if (type != 'D') {
        state_ = transport::LayerState::failed;
        return fail(Errc::malformed);
      }
      const auto size = std::to_integer<std::size_t>(head[1]);
      if (have < 2 || wire.size() < 2 + size) return {};
      wire.consume(2);
      for (std::size_t left = size; left != 0;) {
        const ByteView part = ByteView(wire.front()).first(std::min(left, wire.front().size()));
        const Status copied = plain.copy_in(pool_, part);
        if (!copied) return copied;
        left -= part.size();
        wire.consume(part.size());
      }
    }
    return {};
  }
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override {
    while (!plain.empty()) {
      const std::size_t size = std::min<std::size_t>(255, plain.front().size());
      const std::array<std::byte, 2> head{std::byte{'D'}, static_cast<std::byte>(size)};
      Status copied = wire.copy_in(pool_, head);
      if (copied) copied = wire.copy_in(pool_, ByteView(plain.front()).first(size));
      if (!copied) return copied;
      plain.consume(size);
    }
    return {};
  }
  Status finish(SliceQueue& wire) noexcept override {
    return wire.copy_in(pool_, as_byte_view("E"));
  }
  Status tick(Moment, SliceQueue& wire) noexcept override {
    return wire.copy_in(pool_, as_byte_view("P"));
  }

 private:
  SlicePool& pool_;
  transport::LayerState state_ = transport::LayerState::open;
};

/// Records grow by a head of six bytes (`<` and five digits) and a tail `>`, in place.
class GrowingLayer final : public transport::Layer {
 public:
  static constexpr std::size_t kMaxPayload = 4000;
  explicit GrowingLayer(SlicePool& pool) : pool_(pool) {}
  [[nodiscard]] transport::LayerShape shape() const noexcept override {
    return {6, 1, kMaxPayload};
  }
  [[nodiscard]] transport::LayerState state() const noexcept override {
    return transport::LayerState::open;
  }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue&) noexcept override {
    for (;;) {
      std::array<char, 7> head{};  // ends with NUL
      if (wire.peek(std::as_writable_bytes(std::span(head).first(6))) < 6) return {};
      const auto size = static_cast<std::size_t>(std::atoi(head.data() + 1));
      if (wire.size() < size + 7) return {};
      auto slice = Slice::make(pool_);
      if (!slice) return fail(slice.error());
      wire.consume(6);
      slice->grow(size);
      wire.peek(slice->data());
      wire.consume(size + 1);
      plain.push_back(std::move(*slice));
    }
  }
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override {
    while (!plain.empty()) {
      Slice slice = plain.pop_front();
      if (slice.size() > kMaxPayload) {
        auto part = Slice::make(pool_);
        if (!part) {
          plain.push_front(std::move(slice));
          return fail(part.error());
        }
        part->append(slice.data().first(kMaxPayload));
        slice.drop_front(kMaxPayload);
        plain.push_front(std::move(slice));
        slice = std::move(*part);
      }
      grew_in_place &= slice.headroom() >= 6 && slice.tailroom() >= 1;
      std::array<char, 16> head{};
      std::snprintf(head.data(), head.size(), "<%05zu", slice.size());
      slice.append(as_byte_view(">"));
      std::memcpy(slice.push(6).data(), head.data(), 6);
      wire.push_back(std::move(slice));
    }
    return {};
  }
  bool grew_in_place = true;

 private:
  SlicePool& pool_;
};

/// Flips case until a line has ended in one direction; from there on it is transparent.
class SwitchLayer final : public transport::Layer {
 public:
  [[nodiscard]] transport::LayerShape shape() const noexcept override { return {}; }
  [[nodiscard]] transport::LayerState state() const noexcept override { return state_; }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue&) noexcept override {
    pass(wire, plain);
    return {};
  }
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override {
    pass(plain, wire);
    if (state_ == transport::LayerState::transparent) wire.append(std::move(plain));
    return {};
  }

 private:
  void pass(SliceQueue& from, SliceQueue& to) noexcept {
    while (!from.empty() && state_ == transport::LayerState::open) {
      Slice slice = from.pop_front();
      const ByteSpan data = slice.data();
      const auto end = std::ranges::find(data, std::byte{'\n'});
      for (auto at = data.begin(); at != end; ++at) *at ^= std::byte{0x20};
      if (end == data.end()) {
        to.push_back(std::move(slice));
        continue;
      }
      state_ = transport::LayerState::transparent;
      const auto size = static_cast<std::size_t>(end - data.begin()) + 1;
      auto line = Slice::make(slice.pool());
      if (!line) std::abort();
      line->append(data.first(size));
      slice.drop_front(size);
      to.push_back(std::move(*line));
      from.push_front(std::move(slice));
    }
  }
  transport::LayerState state_ = transport::LayerState::open;
};

}  // namespace sluice::test
