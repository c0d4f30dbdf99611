// flow/bindings.h - fake addresses and the names behind them, one copy per worker.
//
// Changed by numbered batches that the control thread posts to every worker; a batch is
// acknowledged when all workers hold it. Owner: the engine. Thread: its worker.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/common/address.h"
#include "proto/contract/names.h"

namespace sluice::flow {

/// One batch, read by all workers.
using SharedBatch = std::shared_ptr<const contract::BindingBatch>;

class BindingTable {
 public:
  void apply(const SharedBatch& batch);
  /// nullptr when the address is unknown. Valid until the next apply().
  [[nodiscard]] const contract::Binding* find(const IpAddress& address) const noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return by_address_.size(); }

 private:
  std::unordered_map<IpAddress, contract::Binding, IpAddressHash> by_address_;
};

}  // namespace sluice::flow
