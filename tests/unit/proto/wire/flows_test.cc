#include "proto/wire/flows.h"

#include <gtest/gtest.h>

#include "proto/common/log.h"
#include "proto/wire/bounds.h"
#include "proto/wire/status.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::wire {
namespace {

TEST(WireFlows, AFlowRoundTripsWithEveryFieldSet) {
  const contract::FlowInfo in = test::sample_flow();
  const auto pages = encode_pages(std::span(&in, 1));
  ASSERT_EQ(pages.size(), 1U);
  const auto out = decode(pages[0]);
  ASSERT_TRUE(out) << out.error().to_string();
  ASSERT_EQ(out->size(), 1U);
  EXPECT_TRUE(test::same(out->at(0), in));
}

TEST(WireFlows, ATableOfAnySizeTravelsInBoundedPages) {
  std::vector<contract::FlowInfo> flows;
  for (std::uint64_t i = 0; i < 9000; ++i) flows.push_back(test::sample_flow(i));
  flows[5].rule_payload = std::string(kMaxText, 'x');
  std::uint64_t next = 0;
  for (const auto& page : encode_pages(flows)) {
    EXPECT_LT(page.ByteSizeLong(), kMaxMessage);
    const auto out = decode(page);
    ASSERT_TRUE(out) << out.error().to_string();
    for (const auto& flow : *out) EXPECT_EQ(flow.id, next++);
  }
  EXPECT_EQ(next, 9000U);
  EXPECT_EQ(encode_pages({}).size(), 1U);
}

TEST(WireFlows, EventsKeepTheirOrderAndResetOnlyOnce) {
  contract::FlowEvents in;
  in.reset = true;
  in.lost = 3;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    in.flows.push_back(test::sample_flow(i));
    in.progress.push_back({i, i + 1, i + 2});
  }
  in.closed.push_back(test::sample_flow(9));
  const auto parts = encode_parts(in);
  ASSERT_GT(parts.size(), 1U);
  contract::FlowEvents all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LT(parts[i].ByteSizeLong(), kMaxMessage);
    const auto out = decode(parts[i]);
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(out->reset, i == 0);
    EXPECT_EQ(out->lost, i == 0 ? 3U : 0U);
    all.flows.insert(all.flows.end(), out->flows.begin(), out->flows.end());
    all.progress.insert(all.progress.end(), out->progress.begin(), out->progress.end());
    all.closed.insert(all.closed.end(), out->closed.begin(), out->closed.end());
  }
  EXPECT_EQ(all.progress, in.progress);
  EXPECT_EQ(all.flows.size(), in.flows.size());
  ASSERT_EQ(all.closed.size(), 1U);
  EXPECT_TRUE(test::same(all.closed[0], in.closed[0]));
}

TEST(WireFlows, HostileFlowsAreRefusedAtTheirPlace) {
  v1::FlowPage page;
  encode(test::sample_flow(), page.add_flows());
  encode(test::sample_flow(), page.add_flows());
  v1::Flow* flow = page.mutable_flows(1);
  flow->mutable_destination()->set_name("Not Normal");
  EXPECT_EQ(decode(page).error().place, "flows[1].destination.name");
  flow->mutable_destination()->clear_name();
  flow->mutable_destination()->clear_ip();
  EXPECT_EQ(decode(page).error().place, "flows[1].destination");
  flow->mutable_destination()->set_name("a.test");
  flow->mutable_source()->set_port(65536);
  EXPECT_EQ(decode(page).error().place, "flows[1].source.port");
  flow->mutable_source()->set_port(1);
  flow->add_chains(std::string(kMaxLabel + 1, 'x'));
  EXPECT_EQ(decode(page).error().place, "flows[1].chains[2]");
}

TEST(WireExplain, RoundTrips) {
  const contract::ExplainQuery query{
      Destination{"a.test", {}, 443}, Network::udp, test::ip("10.0.0.1"),    5,
      contract::InboundType::http,    "lan",        contract::Protocol::tls, "b.test"};
  v1::ExplainQuery query_message;
  encode(query, &query_message);
  const auto query_out = decode(query_message);
  ASSERT_TRUE(query_out);
  EXPECT_EQ(query_out->destination, query.destination);
  EXPECT_EQ(query_out->network, query.network);
  EXPECT_EQ(query_out->source, query.source);
  EXPECT_EQ(query_out->source_port, query.source_port);
  EXPECT_EQ(query_out->inbound_type, query.inbound_type);
  EXPECT_EQ(query_out->listener, "lan");
  EXPECT_EQ(query_out->protocol, query.protocol);
  EXPECT_EQ(query_out->sniffed_host, "b.test");
  query_message.clear_protocol();
  EXPECT_FALSE(decode(query_message)->protocol);
  query_message.set_sniffed_host("B.test");
  EXPECT_EQ(decode(query_message).error().place, "sniffed_host");
  query_message.clear_sniffed_host();
  query_message.set_listener(std::string(kMaxLabel + 1, 'x'));
  EXPECT_EQ(decode(query_message).error().place, "listener");

  const contract::Explanation in{4,           "Domain",      "a.test",
                                 "streaming", {"leaf", "G"}, {{"rule", "matched", 12}}};
  v1::Explanation message;
  encode(in, &message);
  const auto out = decode(message);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->index, 4);
  EXPECT_EQ(out->rule, "Domain");
  EXPECT_EQ(out->rule_payload, "a.test");
  EXPECT_EQ(out->rule_list, "streaming");
  EXPECT_EQ(out->chains, in.chains);
  ASSERT_EQ(out->steps.size(), 1U);
  EXPECT_EQ(out->steps[0].what, "rule");
  EXPECT_EQ(out->steps[0].detail, "matched");
  EXPECT_EQ(out->steps[0].ns, 12U);
}

TEST(WireStatus, HelloRoundTripsWithEveryFieldSet) {
  contract::HelloReply in;
  in.version = 3;
  in.oldest_version = 2;
  in.program = "sluice-dataplane 0.1.0";
  in.epoch = UINT64_MAX;
  in.generation = 5;
  in.blobs.resize(2);
  in.blobs[1].fill(std::byte{7});
  in.last_binding = 6;
  in.listeners = {{"mixed", contract::ListenerKind::mixed, "127.0.0.1:7890", true, true, "no"}};
  in.capture = contract::CaptureState::failed;
  in.capture_error = "why";
  in.abilities = {true, true, true, "nothing"};
  in.start_wall_ms = 8;
  in.open_flows = 9;
  in.udp = {5, 6, 7};
  in.upload_total = 10;
  in.download_total = 11;
  in.memory_used = 12;
  in.memory_bound = 13;
  v1::HelloReply message;
  encode(in, &message);
  const auto out = decode(message);
  ASSERT_TRUE(out) << out.error().to_string();
  // A second encoding shows a lost field as different bytes.
  v1::HelloReply again;
  encode(*out, &again);
  EXPECT_EQ(again.SerializeAsString(), message.SerializeAsString());
  EXPECT_EQ(out->blobs, in.blobs);
  EXPECT_EQ(out->memory_bound, 13U);
  EXPECT_EQ(out->listeners.at(0).error, "no");

  message.set_blobs(1, "short");
  EXPECT_EQ(decode(message).error().place, "blobs[1]");
}

TEST(WireCounters, RoundTripAndRefuseSequenceZero) {
  contract::CounterBatch in{7, 8, {}};
  in.deltas.push_back(
      {{test::ip("10.0.0.9"), "leaf", "Domain,a.test", "a.test", "u", Network::udp}, 1, 2, 3});
  v1::CounterBatch message;
  encode(in, &message);
  const auto out = decode(message);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(out->epoch, 7U);
  EXPECT_EQ(out->sequence, 8U);
  ASSERT_EQ(out->deltas.size(), 1U);
  EXPECT_EQ(out->deltas[0].key, in.deltas[0].key);
  EXPECT_EQ(out->deltas[0].upload, 1U);
  EXPECT_EQ(out->deltas[0].download, 2U);
  EXPECT_EQ(out->deltas[0].flows, 3U);
  message.set_sequence(0);
  EXPECT_EQ(decode(message).error().place, "sequence");
}

TEST(WireLog, RecordsRoundTripAndLevelsAreChecked) {
  v1::LogRecords message;
  encode(contract::LogRecord{5, static_cast<std::uint8_t>(LogLevel::error), "flow", "text"},
         message.add_records());
  const auto out = decode(message);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->at(0).wall_ms, 5);
  EXPECT_EQ(out->at(0).level, static_cast<std::uint8_t>(LogLevel::error));
  EXPECT_EQ(out->at(0).component, "flow");
  EXPECT_EQ(out->at(0).text, "text");
  message.mutable_records(0)->clear_level();
  EXPECT_EQ(decode(message).error().place, "records[0].level");
}

}  // namespace
}  // namespace sluice::wire
