// wire/flows.h - flows, their changes and explanations, to and from protobuf.
#pragma once

#include <span>
#include <vector>

#include "proto/contract/explain.h"
#include "proto/contract/flow_events.h"
#include "proto/contract/flow_info.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::wire {

void encode(const contract::FlowInfo& in, v1::Flow* out);
void encode(const contract::FlowProgress& in, v1::FlowProgress* out);

/// The messages that carry a change, each below the bound of a message; at least one. `reset` is
/// set in the first only, `lost` too.
[[nodiscard]] std::vector<v1::FlowEvents> encode_parts(const contract::FlowEvents& in);
[[nodiscard]] std::vector<v1::FlowPage> encode_pages(std::span<const contract::FlowInfo> flows);

[[nodiscard]] Decoded<contract::FlowEvents> decode(const v1::FlowEvents& in);
[[nodiscard]] Decoded<std::vector<contract::FlowInfo>> decode(const v1::FlowPage& in);

void encode(const contract::ExplainQuery& in, v1::ExplainQuery* out);
[[nodiscard]] Decoded<contract::ExplainQuery> decode(const v1::ExplainQuery& in);
/// Steps and chains beyond their bounds are left out.
void encode(const contract::Explanation& in, v1::Explanation* out);
[[nodiscard]] Decoded<contract::Explanation> decode(const v1::Explanation& in);

}  // namespace sluice::wire
