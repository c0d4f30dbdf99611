#include "dataplane/flow/first_bytes.h"

namespace sluice::flow {

Spoken spoken(const sniff::Answer& answer) {
  Spoken out;
  const auto protocol = contract::find_protocol(sniff::protocol_name(answer.protocol));
  out.protocol = protocol.value_or(contract::Protocol::none);
  out.host = answer.host.text();
  return out;
}

Task<Result<Spoken>> KnownStart::look(Until) {
  co_return spoken_;
}

Task<Result<Spoken>> ClientStart::look(Until until) {
  if (spoken_) co_return *spoken_;
  SniffFailures& failures = engine_.sniffing().failures();
  const std::uint64_t key = SniffFailures::key_of(network_, to_);
  if (failures.skips(key, engine_.worker().loop().now())) {
    spoken_.emplace();
    co_return *spoken_;
  }
  Result<Spoken> heard = co_await listen(until);
  if (!heard) co_return heard;
  if (heard->protocol != contract::Protocol::none)
    failures.worked(key);
  else if (listened_)
    failures.failed(key, engine_.worker().loop().now());
  spoken_ = *heard;
  co_return heard;
}

}  // namespace sluice::flow
