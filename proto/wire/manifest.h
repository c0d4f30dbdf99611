// wire/manifest.h - the manifest, its verdict and group choices, to and from protobuf.
#pragma once

#include "proto/contract/choice.h"
#include "proto/contract/manifest.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"
#include "sluice/v1/manifest.pb.h"

namespace sluice::wire {

void encode(const contract::Manifest& in, v1::Manifest* out);
/// Checks shape: enums, sizes, counts, addresses, ports, spans. What numbers refer to (indices,
/// cycles, unique names) is the snapshot builder's to check.
[[nodiscard]] Decoded<contract::Manifest> decode(const v1::Manifest& in);

void encode(const contract::Verdict& in, v1::Verdict* out);
[[nodiscard]] Decoded<contract::Verdict> decode(const v1::Verdict& in);

void encode(const std::vector<contract::GroupChoice>& in, v1::SelectRequest* out);
[[nodiscard]] Decoded<std::vector<contract::GroupChoice>> decode(const v1::SelectRequest& in);

}  // namespace sluice::wire
