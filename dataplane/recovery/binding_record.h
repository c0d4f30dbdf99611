// recovery/binding_record.h - one binding batch as bytes, and the table that batches add up to.
//
// Record:  size(4) | check(8) | payload(size)           big endian; check = first 8 of SHA-256
// payload: number(8) | replace(1) | count(4) address... | count(4) binding...
// address: 4 or 16 as one byte | that many bytes
// binding: address | fake(1) | size(1) name | count(1) address...
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/contract/names.h"

namespace sluice::recovery {

/// All bindings by address. Plain value.
class BindingTable {
 public:
  /// As the workers do: forget everything if `replace`, then remove, then add.
  void apply(contract::BindingBatch batch);
  [[nodiscard]] std::uint64_t last_number() const noexcept { return last_number_; }
  [[nodiscard]] std::size_t count() const noexcept { return bindings_.size(); }
  /// Everything as one batch that replaces; its number is last_number().
  [[nodiscard]] contract::BindingBatch as_batch() const;

 private:
  std::unordered_map<IpAddress, contract::Binding, IpAddressHash> bindings_;
  std::uint64_t last_number_ = 0;
};

/// Appends one record. Last-good addresses beyond 255 are left out.
void append_record(std::vector<std::byte>& out, const contract::BindingBatch& batch);

/// The record at the front of `in`, which then moves past it.
/// Errors: truncated (the file ends within it), malformed; `in` is then unchanged.
[[nodiscard]] Result<contract::BindingBatch> take_record(ByteView& in);

}  // namespace sluice::recovery
