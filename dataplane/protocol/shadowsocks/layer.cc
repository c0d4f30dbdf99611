#include "dataplane/protocol/shadowsocks/layer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace sluice::shadowsocks {

Result<std::unique_ptr<ShadowsocksLayer>> ShadowsocksLayer::make(const Key& key, SlicePool& pool,
                                                                 const Destination& to) noexcept {
  std::array<std::byte, kMaxSalt> room;
  const ByteSpan salt = ByteSpan(room).first(key.salt_size());
  const Status random = crypto::random_bytes(salt);
  if (!random) return fail(random.error());
  auto sealer = Sealer::make(key, salt);
  if (!sealer) return fail(sealer.error());
  std::unique_ptr<ShadowsocksLayer> layer(new ShadowsocksLayer(key, pool, std::move(*sealer)));
  Writer address{layer->address_};
  socks::encode_address(to, address);
  layer->address_size_ = static_cast<std::uint16_t>(address.size());
  return layer;
}

transport::LayerShape ShadowsocksLayer::shape() const noexcept {
  return {.head = head(), .tail = kRecordTail, .max_payload = kMaxPayload};
}

Status ShadowsocksLayer::failed(const Status& status) noexcept {
  if (!status && status.error().code != Errc::no_room) state_ = transport::LayerState::failed;
  return status;
}

Status ShadowsocksLayer::open(SliceQueue& wire, SliceQueue& plain, SliceQueue& reply) noexcept {
  (void)reply;
  return failed(opener_.open(wire, plain));
}

/// The next payload with room around it: the slice itself, or what fits of it in a fresh one.
Result<Slice> ShadowsocksLayer::next_slice(SliceQueue& plain) noexcept {
  Slice slice = plain.pop_front();
  const bool has_room = slice.headroom() >= head() && slice.tailroom() >= kRecordTail &&
                        slice.size() + address_size_ <= kMaxPayload;
  if (has_room) return slice;
  auto fresh = Slice::make(pool_, std::max(kHeadroom, head()));
  if (!fresh) {
    plain.push_front(std::move(slice));
    return fail(fresh.error());
  }
  const std::size_t size = std::min(slice.size(), fresh->tailroom() - kTailroom);
  fresh->append(slice.data().first(size));
  slice.drop_front(size);
  plain.push_front(std::move(slice));
  return fresh;
}

Status ShadowsocksLayer::seal_slice(Slice slice, SliceQueue& wire) noexcept {
  if (address_size_ != 0) {
    std::memcpy(slice.push(address_size_).data(), address_.data(), address_size_);
    address_size_ = 0;
  }
  const Status sealed = sealer_.seal(slice);
  if (sealed) wire.push_back(std::move(slice));
  return failed(sealed);
}

Status ShadowsocksLayer::seal(SliceQueue& plain, SliceQueue& wire) noexcept {
  if (plain.empty()) return send_head(wire);
  while (!plain.empty()) {
    Result<Slice> slice = next_slice(plain);
    if (!slice) return fail(slice.error());
    const Status sealed = seal_slice(std::move(*slice), wire);
    if (!sealed) return sealed;
  }
  return {};
}

Status ShadowsocksLayer::send_head(SliceQueue& wire) noexcept {
  if (address_size_ == 0) return {};
  auto slice = Slice::make(pool_, std::max(kHeadroom, head()));
  if (!slice) return fail(slice.error());
  return seal_slice(std::move(*slice), wire);
}

Status ShadowsocksLayer::tick(Moment now, SliceQueue& wire) noexcept {
  (void)now;
  return send_head(wire);
}

}  // namespace sluice::shadowsocks
