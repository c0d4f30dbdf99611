// dns/message/record_data.h - record data with its names written out.
//
// RFC 3597 section 4: only the types of RFC 1035 and a few older ones may hold compressed names;
// the data of every other type is opaque and copied.
#pragma once

#include <cstddef>
#include <vector>

#include "controlplane/dns/message/message.h"
#include "proto/common/result.h"

namespace sluice::dns {

/// Errors: truncated, malformed (the data does not have the shape of its type).
[[nodiscard]] Result<std::vector<std::byte>> expand_record_data(ByteView message,
                                                                const Record& record);

}  // namespace sluice::dns
