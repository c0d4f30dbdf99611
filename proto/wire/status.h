// wire/status.h - hello, counters and log records, to and from protobuf.
#pragma once

#include <vector>

#include "proto/contract/counters.h"
#include "proto/contract/status.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::wire {

void encode(const contract::HelloReply& in, v1::HelloReply* out);
[[nodiscard]] Decoded<contract::HelloReply> decode(const v1::HelloReply& in);

void encode(const contract::CounterBatch& in, v1::CounterBatch* out);
[[nodiscard]] Decoded<contract::CounterBatch> decode(const v1::CounterBatch& in);
void encode(const contract::CounterCursor& in, v1::CounterCursor* out);
[[nodiscard]] contract::CounterCursor decode(const v1::CounterCursor& in);

void encode(const contract::LogRecord& in, v1::LogRecord* out);
[[nodiscard]] Decoded<std::vector<contract::LogRecord>> decode(const v1::LogRecords& in);

}  // namespace sluice::wire
