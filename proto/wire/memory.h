// wire/memory.h - the report of pools and caches, to and from protobuf.
#pragma once

#include "proto/contract/memory_report.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::wire {

/// Pools beyond kMaxPools are left out.
void encode(const contract::MemoryReport& in, v1::MemoryReport* out);
[[nodiscard]] Decoded<contract::MemoryReport> decode(const v1::MemoryReport& in);

}  // namespace sluice::wire
