#include "ui/cli/show_stats.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "proto/common/text.h"
#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/table.h"

namespace sluice::cli {
namespace {

std::string title_of(pb::StatsBy by) {
  std::string out = kStatsWords[by];
  for (char& c : out) c = static_cast<char>(c - 'a' + 'A');
  return out;
}

/// Hours are seconds since 1970 on the wire of the store; people and programs read moments.
std::string key_of(const pb::StatsRow& row, pb::StatsBy by) {
  if (by != pb::STATS_BY_HOUR) return row.key();
  return rfc3339(static_cast<std::int64_t>(parse_number(row.key()).value_or(0)) * 1000);
}

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const long tenths = std::lround(static_cast<double>(part) * 1000 / static_cast<double>(whole));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string gap_lines(const pb::StatsReply& stats) {
  std::string out;
  for (const pb::StatsGap& gap : stats.gaps())
    out += "gap: at most one second is missing between " + rfc3339(gap.from_wall_ms()) + " and " +
           rfc3339(gap.until_wall_ms()) + " (the data plane died)\n";
  return out;
}

std::string when_full(pb::WhenFull reaction) {
  switch (reaction) {
    case pb::FULL_WAITS:
      return "readers wait";
    case pb::FULL_EVICTS:
      return "oldest goes";
    case pb::FULL_REFUSES:
      return "newest is refused";
    case pb::FULL_MERGES:
      return "rest is \"other\"";
    default:
      return "grows";
  }
}

/// The same for programs.
const char* word_of(pb::WhenFull reaction) {
  switch (reaction) {
    case pb::FULL_WAITS:
      return "waits";
    case pb::FULL_EVICTS:
      return "evicts";
    case pb::FULL_REFUSES:
      return "refuses";
    case pb::FULL_MERGES:
      return "merges";
    default:
      return "grows";
  }
}

std::string bytes_or_dash(std::uint64_t bytes) {
  return bytes == 0 ? "-" : human_bytes(bytes);
}

std::string count_or_dash(std::uint64_t count) {
  return count == 0 ? "-" : std::to_string(count);
}

/// Of bytes where they have a bound, else of items.
std::string share_of(const pb::MemoryPool& pool) {
  if (pool.bound_bytes() != 0) return share_of(pool.used_bytes(), pool.bound_bytes());
  return share_of(pool.items(), pool.max_items());
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string stats_text(const pb::StatsReply& stats, pb::StatsBy by, const Screen& screen) {
  const bool clients = by == pb::STATS_BY_CLIENT;
  std::vector<Column> columns{{title_of(by), Align::left, true}};
  if (clients) columns.push_back({"NAME", Align::left, true});
  for (const char* title : {"UP", "DOWN", "SHARE", "FLOWS"})
    columns.push_back({title, Align::right});
  const std::uint64_t whole = stats.upload() + stats.download();
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& key, const std::string& name, const auto& carried) {
    std::vector<std::string> row{key};
    if (clients) row.push_back(name);
    row.push_back(human_bytes(carried.upload()));
    row.push_back(human_bytes(carried.download()));
    row.push_back(share_of(carried.upload() + carried.download(), whole));
    row.push_back(std::to_string(carried.flows()));
    rows.push_back(std::move(row));
  };
  for (const pb::StatsRow& row : stats.rows())
    add(row.key().empty() ? "-" : key_of(row, by), row.name(), row);
  add("total", "", stats);
  std::string out = layout(columns, rows, screen.width);
  if (stats.since_wall_ms() != 0) out += "since " + rfc3339(stats.since_wall_ms()) + "\n";
  return out + gap_lines(stats);
}

std::string stats_csv(const pb::StatsReply& stats, pb::StatsBy by) {
  const bool clients = by == pb::STATS_BY_CLIENT;
  std::string out =
      std::string(kStatsWords[by]) + (clients ? ",name,mac" : "") + ",upload,download,flows\r\n";
  for (const pb::StatsRow& row : stats.rows()) {
    out += csv_field(key_of(row, by));
    if (clients) out += "," + csv_field(row.name()) + "," + csv_field(row.mac());
    for (const std::uint64_t number : {row.upload(), row.download(), row.flows()})
      out += "," + std::to_string(number);
    out += "\r\n";
  }
  return out;
}

std::string stats_json(const pb::StatsReply& stats, pb::StatsBy by) {
  JsonWriter w;
  const auto carried = [&](const auto& what) {
    w.key("upload").number(what.upload());
    w.key("download").number(what.download());
    w.key("flows").number(what.flows());
  };
  w.object([&] {
    w.key("by").text(kStatsWords[by]);
    w.key("since").text(rfc3339_or_empty(stats.since_wall_ms()));
    carried(stats);
    w.key("rows").array([&] {
      for (const pb::StatsRow& row : stats.rows())
        w.object([&] {
          w.key("key").text(key_of(row, by));
          w.key("name").text(row.name());
          w.key("mac").text(row.mac());
          carried(row);
        });
    });
    w.key("gaps").array([&] {
      for (const pb::StatsGap& gap : stats.gaps())
        w.object([&] {
          w.key("from").text(rfc3339(gap.from_wall_ms()));
          w.key("until").text(rfc3339(gap.until_wall_ms()));
        });
    });
  });
  return w.str() + "\n";
}

std::string memory_text(const pb::MemoryReply& memory, const Screen& screen) {
  std::vector<std::vector<std::string>> rows;
  for (const pb::MemoryPool& pool : memory.pools())
    rows.push_back({pool.plane(), pool.name(), bytes_or_dash(pool.used_bytes()),
                    bytes_or_dash(pool.bound_bytes()), bytes_or_dash(pool.high_bytes()),
                    std::to_string(pool.items()), count_or_dash(pool.max_items()), share_of(pool),
                    when_full(pool.when_full())});
  return layout({{"PLANE", Align::left, true},
                 {"POOL", Align::left, true},
                 {"USED", Align::right},
                 {"BOUND", Align::right},
                 {"HIGH", Align::right},
                 {"ITEMS", Align::right},
                 {"MOST", Align::right},
                 {"SHARE", Align::right},
                 {"WHEN FULL", Align::left, true}},
                rows, screen.width);
}

std::string memory_json(const pb::MemoryReply& memory) {
  JsonWriter w;
  w.object([&] {
    w.key("pools").array([&] {
      for (const pb::MemoryPool& pool : memory.pools())
        w.object([&] {
          w.key("plane").text(pool.plane());
          w.key("name").text(pool.name());
          w.key("used").number(pool.used_bytes());
          w.key("bound").number(pool.bound_bytes());
          w.key("high").number(pool.high_bytes());
          w.key("items").number(pool.items());
          w.key("maxItems").number(pool.max_items());
          w.key("whenFull").text(word_of(pool.when_full()));
        });
    });
  });
  return w.str() + "\n";
}

}  // namespace sluice::cli
