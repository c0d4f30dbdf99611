#include "dataplane/flow/sniff_failures.h"

#include <algorithm>

#include "proto/common/hash.h"

namespace sluice::flow {

std::uint64_t SniffFailures::key_of(Network network, const Destination& destination) noexcept {
  const std::uint64_t where = destination.has_name() ? hash_bytes(as_byte_view(destination.name))
                                                     : hash_value(destination.ip);
  return mix64(where, std::uint64_t{destination.port} << 8U | static_cast<std::uint64_t>(network));
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
