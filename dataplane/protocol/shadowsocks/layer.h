// shadowsocks/layer.h - the client's layer: a TCP stream through a Shadowsocks server.
//
//   out:  salt | record( address | first payload ) | record( payload ) ...
//   in:   salt | record( payload ) ...
//
// There is no handshake: the address travels in front of the first payload, in the same write. When
// no payload comes (the far side speaks first), the flow writes an empty queue after a short wait
// (outbound/limits.h), or the next tick sends it.
//
// Owner: the End. Thread: its worker.
#pragma once

#include <memory>

#include "dataplane/protocol/shadowsocks/record.h"
#include "dataplane/protocol/socks_address/socks_address.h"
#include "dataplane/transport/layer.h"

namespace sluice::shadowsocks {

class ShadowsocksLayer final : public transport::Layer {
 public:
  /// `key` must outlive the layer. Errors: system (no random bytes, no cipher).
  static Result<std::unique_ptr<ShadowsocksLayer>> make(const Key& key, SlicePool& pool,
                                                        const Destination& to) noexcept;

  [[nodiscard]] transport::LayerShape shape() const noexcept override;
  [[nodiscard]] transport::LayerState state() const noexcept override { return state_; }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue& reply) noexcept override;
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override;
  Status tick(Moment now, SliceQueue& wire) noexcept override;

  /// Sends salt and address without payload, unless they are out. Errors: no_room, system.
  Status send_head(SliceQueue& wire) noexcept;

 private:
  ShadowsocksLayer(const Key& key, SlicePool& pool, Sealer sealer) noexcept
      : pool_(pool), sealer_(std::move(sealer)), opener_(key, pool) {}

  [[nodiscard]] std::size_t head() const noexcept { return sealer_.head() + address_size_; }
  Result<Slice> next_slice(SliceQueue& plain) noexcept;
  Status seal_slice(Slice slice, SliceQueue& wire) noexcept;
  Status failed(const Status& status) noexcept;

  SlicePool& pool_;
  Sealer sealer_;
  Opener opener_;
  transport::LayerState state_ = transport::LayerState::open;
  std::uint16_t address_size_ = 0;  ///< 0 once it was sent
  std::array<std::byte, socks::kMaxAddress> address_{};
};

}  // namespace sluice::shadowsocks
