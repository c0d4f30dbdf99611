// wire/sniffer.h - the manifest's Sniffer.
#pragma once

#include "proto/contract/manifest.h"
#include "proto/wire/scope.h"
#include "sluice/v1/manifest.pb.h"

namespace sluice::wire {

void encode_sniffer(const contract::Sniffer& in, v1::Sniffer* out);
/// Refused: more ranges than kMaxPortRanges, ports above 65535.
[[nodiscard]] contract::Sniffer decode_sniffer(const Scope& at, const v1::Sniffer& in);

}  // namespace sluice::wire
