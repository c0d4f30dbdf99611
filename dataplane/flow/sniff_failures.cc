#include "dataplane/flow/sniff_failures.h"

#include <algorithm>

#include "proto/common/hash.h"

namespace sluice::flow {

std::uint64_t SniffFailures::key_of(const Destination& destination) noexcept {
  if (!destination.has_name()) return hash_value(Endpoint{destination.ip, destination.port});
  return mix64(hash_bytes(as_byte_view(destination.name)), destination.port);
}

bool SniffFailures::skips(std::uint64_t key, Moment now) const noexcept {
  return std::ranges::any_of(rows_, [&](const Row& row) {
    return row.key == key && row.count > kSniffFailures && now - row.last < kSniffSkip;
  });
}

void SniffFailures::failed(std::uint64_t key, Moment now) noexcept {
  Row* at = rows_.data();
  for (Row& row : rows_) {
    if (row.count != 0 && row.key == key) {
      at = &row;
      break;
    }
    if (at->count != 0 && (row.count == 0 || row.last < at->last)) at = &row;
  }
  const bool old = now - at->last >= kSniffSkip;
  if (at->count == 0 || at->key != key || old) *at = {key, 0, {}};
  ++at->count;
  at->last = now;
}

void SniffFailures::worked(std::uint64_t key) noexcept {
  for (Row& row : rows_)
    if (row.key == key) row = {};
}

}  // namespace sluice::flow
