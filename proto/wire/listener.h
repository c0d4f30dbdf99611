// wire/listener.h - one listener of the manifest, to and from protobuf.
#pragma once

#include <vector>

#include "proto/contract/manifest.h"
#include "proto/wire/scope.h"
#include "sluice/v1/manifest.pb.h"

namespace sluice::wire {

void encode_listener(const contract::Listener& in, v1::Listener* out);
[[nodiscard]] contract::Listener decode_listener(const Scope& at, const v1::Listener& in);

/// A bounded list of prefixes, each with its host bits zero.
[[nodiscard]] std::vector<Prefix> decode_prefixes(
    const Scope& at, const char* field, const google::protobuf::RepeatedPtrField<v1::Prefix>& in);

}  // namespace sluice::wire
