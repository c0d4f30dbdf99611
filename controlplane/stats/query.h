// stats/query.h - what the statistics store is asked, and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::stats {

/// In the order of management.proto.
enum class By : std::uint8_t { client, host, outbound, rule, user, network, hour };

struct Query {
  By by = By::host;
  std::int64_t since_wall_ms = 0;  ///< 0: all time; else from the start of the hour it falls in
  std::uint32_t limit = 0;         ///< rows; 0: kMaxRows, which is also the most
};

struct Row {
  std::string key;
  std::uint64_t upload = 0;    ///< bytes
  std::uint64_t download = 0;  ///< bytes
  std::uint64_t flows = 0;
  friend bool operator==(const Row&, const Row&) = default;
};

/// What a killed data plane counted in its last second is missing somewhere in here.
struct Gap {
  std::int64_t from_wall_ms = 0;
  std::int64_t until_wall_ms = 0;
  friend bool operator==(const Gap&, const Gap&) = default;
};

struct Report {
  std::vector<Row> rows;  ///< most bytes first; hours: oldest first
  std::uint64_t upload = 0;
  std::uint64_t download = 0;
  std::uint64_t flows = 0;
  std::vector<Gap> gaps;  ///< oldest first
  std::int64_t since_wall_ms = 0;
};

}  // namespace sluice::stats
