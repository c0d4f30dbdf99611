#include "ui/cli/show_stats.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

pb::StatsReply sample() {
  pb::StatsReply out;
  pb::StatsRow& a = *out.add_rows();
  a.set_key("192.168.1.20");
  a.set_name("the \"big\", one");
  a.set_mac("02:00:5e:10:00:01");
  a.set_upload(1024);
  a.set_download(2048);
  a.set_flows(3);
  pb::StatsRow& b = *out.add_rows();
  b.set_key("");
  b.set_download(1024);
  out.set_upload(1024);
  out.set_download(3072);
  out.set_flows(3);
  out.set_since_wall_ms(1'764'547'200'000);
  pb::StatsGap& gap = *out.add_gaps();
  gap.set_from_wall_ms(1'764'547'201'000);
  gap.set_until_wall_ms(1'764'547'203'000);
  return out;
}

TEST(ShowStats, TheTableHasSharesATotalAndTheGap) {
  const std::string text = stats_text(sample(), pb::STATS_BY_CLIENT, {});
  EXPECT_EQ(text,
            "CLIENT        NAME                 UP     DOWN    SHARE  FLOWS\n"
            "192.168.1.20  the \"big\", one  1.0 KiB  2.0 KiB   75.0 %      3\n"
            "-                                 0 B  1.0 KiB   25.0 %      0\n"
            "total                         1.0 KiB  3.0 KiB  100.0 %      3\n"
            "since 2025-12-01T00:00:00.000Z\n"
            "gap: at most one second is missing between 2025-12-01T00:00:01.000Z and "
            "2025-12-01T00:00:03.000Z (the data plane died)\n");
}

TEST(ShowStats, CsvQuotesWhatWouldSplitAField) {
  EXPECT_EQ(stats_csv(sample(), pb::STATS_BY_CLIENT),
            "client,name,mac,upload,download,flows\r\n"
            "192.168.1.20,\"the \"\"big\"\", one\",02:00:5e:10:00:01,1024,2048,3\r\n"
            ",,,0,1024,0\r\n");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("plain name"), "plain name");
}

TEST(ShowStats, HoursAreMoments) {
  pb::StatsReply reply;
  reply.add_rows()->set_key("1764547200");
  EXPECT_NE(stats_csv(reply, pb::STATS_BY_HOUR).find("2025-12-01T00:00:00.000Z,0,0,0"),
            std::string::npos);
}

TEST(ShowStats, JsonHoldsRowsTotalsAndGaps) {
  const std::string json = stats_json(sample(), pb::STATS_BY_CLIENT);
  EXPECT_NE(json.find(R"("by":"client","since":"2025-12-01T00:00:00.000Z","upload":1024,)"
                      R"("download":3072,"flows":3,"rows":[{"key":"192.168.1.20",)"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("gaps":[{"from":"2025-12-01T00:00:01.000Z",)"), std::string::npos);
}

TEST(ShowMemory, SaysTheBoundTheShareAndWhatHappensWhenFull) {
  pb::MemoryReply reply;
  pb::MemoryPool& pipes = *reply.add_pools();
  pipes.set_plane("dataplane");
  pipes.set_name("pipes");
  pipes.set_used_bytes(512 << 10);
  pipes.set_bound_bytes(2 << 20);
  pipes.set_items(2);
  pipes.set_when_full(pb::FULL_WAITS);
  pb::MemoryPool& cache = *reply.add_pools();
  cache.set_plane("controlplane");
  cache.set_name("dns-cache");
  cache.set_items(1);
  cache.set_max_items(1000);
  cache.set_when_full(pb::FULL_EVICTS);
  const std::string text = memory_text(reply, {});
  EXPECT_NE(text.find("pipes      512.0 KiB  2.0 MiB     -      2     -  25.0 %  readers wait"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0.1 %  oldest goes"), std::string::npos) << text;
  EXPECT_NE(memory_json(reply).find(R"("maxItems":1000,"whenFull":"evicts")"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
