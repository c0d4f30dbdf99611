// cli/show_stats.h - statistics and memory as text, CSV (RFC 4180) and JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sluice/v1/management.pb.h"
#include "ui/cli/screen.h"

namespace sluice::cli {

namespace pb = ::sluice::v1::management;

/// Words of `--by`, in the order of management.proto.
inline constexpr const char* kStatsWords[] = {"client", "host",    "outbound", "rule",
                                              "user",   "network", "hour"};

[[nodiscard]] std::string stats_text(const pb::StatsReply& stats, pb::StatsBy by,
                                     const Screen& screen);
/// client,name,mac,upload,download,flows and a line for each row; other sides have no name and mac.
[[nodiscard]] std::string stats_csv(const pb::StatsReply& stats, pb::StatsBy by);
/// {by, since, upload, download, flows, rows[{key, name, mac, upload, download, flows}],
/// gaps[{from, until}]}
[[nodiscard]] std::string stats_json(const pb::StatsReply& stats, pb::StatsBy by);

[[nodiscard]] std::string memory_text(const pb::MemoryReply& memory, const Screen& screen);
/// {pools[{plane, name, used, bound, high, items, maxItems, whenFull}]}
[[nodiscard]] std::string memory_json(const pb::MemoryReply& memory);

/// Quoted where a comma, a quote or a line break stands in it.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace sluice::cli
