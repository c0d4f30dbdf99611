// dns/binding_sink.h - where fake addresses are made known before an answer may carry them.
//
//   reserve ──> bind(change) ──> data plane's log and workers, binding store ──> done ──> answer
//
// Implemented by the app room over `push` and `stats`. Called on the DNS loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/contract/names.h"

namespace sluice::dns {

/// Removals come before additions: an address may leave one name and go to another.
struct BindingChange {
  std::vector<IpAddress> remove;
  std::vector<contract::Binding> add;
  std::uint32_t next_v4 = 0;  ///< the pools' offsets after this change, to be stored with it
  std::uint32_t next_v6 = 0;
};

class BindingSink {
 public:
  /// Must be called once, on the DNS loop, but not from inside bind(): ok when the data plane holds
  /// the whole change. May be called after the Dns object is gone.
  using Done = std::function<void(Status)>;
  /// One change at a time: the next one comes after `done`.
  virtual void bind(BindingChange change, Done done) = 0;

 protected:
  ~BindingSink() = default;
};

}  // namespace sluice::dns
