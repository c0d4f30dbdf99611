// Statistics and memory as messages.
#include "controlplane/manage/wire.h"
#include "controlplane/manage/wire_parts.h"

namespace sluice::manage {
namespace {

static_assert(static_cast<int>(stats::By::hour) == pb::STATS_BY_HOUR);
static_assert(static_cast<int>(stats::By::client) == pb::STATS_BY_CLIENT);
static_assert(static_cast<int>(contract::WhenFull::merges) == pb::FULL_MERGES);

void fill(pb::MemoryReply& out, const char* plane, const contract::MemoryReport& in) {
  for (const contract::MemoryPool& pool : in) {
    pb::MemoryPool& item = *out.add_pools();
    item.set_plane(plane);
    item.set_name(pool.name);
    item.set_used_bytes(pool.used_bytes);
    item.set_bound_bytes(pool.bound_bytes);
    item.set_high_bytes(pool.high_bytes);
    item.set_items(pool.items);
    item.set_max_items(pool.max_items);
    item.set_when_full(same<pb::WhenFull>(pool.when_full));
  }
}

}  // namespace

Answer<stats::Query> from_wire(const pb::GetStatsRequest& in) {
  if (!pb::StatsBy_IsValid(in.by()))
    return fault(FaultKind::invalid,
                 "statistics by that are not known; is the client newer than "
                 "the router?");
  if (in.since_wall_ms() < 0) return fault(FaultKind::invalid, "a moment before 1970");
  return stats::Query{same<stats::By>(in.by()), in.since_wall_ms(), in.limit()};
}

pb::StatsReply to_wire(const StatsReport& in) {
  pb::StatsReply out;
  for (std::size_t i = 0; i < in.carried.rows.size(); ++i) {
    const stats::Row& row = in.carried.rows[i];
    pb::StatsRow& item = *out.add_rows();
    item.set_key(utf8(row.key));
    item.set_upload(row.upload);
    item.set_download(row.download);
    item.set_flows(row.flows);
    if (i >= in.clients.size()) continue;
    item.set_name(utf8(in.clients[i].name));
    item.set_mac(in.clients[i].mac);
  }
  out.set_upload(in.carried.upload);
  out.set_download(in.carried.download);
  out.set_flows(in.carried.flows);
  out.set_since_wall_ms(in.carried.since_wall_ms);
  for (const stats::Gap& gap : in.carried.gaps) {
    pb::StatsGap& item = *out.add_gaps();
    item.set_from_wall_ms(gap.from_wall_ms);
    item.set_until_wall_ms(gap.until_wall_ms);
  }
  return out;
}

pb::MemoryReply to_wire(const MemoryReport& in) {
  pb::MemoryReply out;
  fill(out, "dataplane", in.dataplane);
  fill(out, "controlplane", in.controlplane);
  return out;
}

}  // namespace sluice::manage
