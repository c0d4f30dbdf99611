#include "dataplane/flow/bindings.h"

namespace sluice::flow {

void BindingTable::apply(const SharedBatch& batch) {
  if (batch->replace) by_address_.clear();
  for (const IpAddress& gone : batch->remove) by_address_.erase(gone);
  for (const contract::Binding& b : batch->add) by_address_.insert_or_assign(b.address, b);
}

const contract::Binding* BindingTable::find(const IpAddress& address) const noexcept {
  const auto found = by_address_.find(address);
  return found != by_address_.end() ? &found->second : nullptr;
}

}  // namespace sluice::flow
