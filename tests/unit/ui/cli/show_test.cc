#include "ui/cli/show.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

constexpr std::int64_t kStart_ms = 1'700'000'000'123;

pb::Flow sample_flow() {
  pb::Flow f;
  f.set_id(77);
  f.set_network(pb::NETWORK_UDP);
  f.set_inbound_type(pb::INBOUND_TPROXY);
  f.set_inbound_name("DEFAULT-TPROXY");
  f.set_user("ann");
  f.mutable_source()->set_ip("192.0.2.9");
  f.mutable_source()->set_port(5000);
  f.mutable_inbound()->set_ip("2001:db8::1");
  f.mutable_inbound()->set_port(443);
  f.set_host("example.test");
  f.mutable_destination()->set_ip("198.18.0.4");
  f.mutable_destination()->set_port(443);
  f.set_sniff_host("sniffed.test");
  f.set_remote("198.51.100.7:8388");
  f.set_dns_mode(pb::DNS_FAKE_IP);
  f.set_rule_index(3);
  f.set_rule("DomainSuffix");
  f.set_rule_payload("test");
  f.add_chains("ss1");
  f.add_chains("PROXY");
  f.set_upload(5'000'000'000);
  f.set_download(2048);
  f.set_start_wall_ms(kStart_ms);
  return f;
}

pb::FlowTable sample_table() {
  pb::FlowTable table;
  table.set_upload_total(10);
  table.set_download_total(20);
  *table.add_flows() = sample_flow();
  return table;
}

// The field names and forms of the dashboards' /connections: ports are strings, chains[0] the leaf.
TEST(Show, FlowsJsonHasTheDashboardsForm) {
  EXPECT_EQ(
      flows_json(sample_table()),
      R"({"downloadTotal":20,"uploadTotal":10,"connections":[{"id":"77","metadata":{)"
      R"("network":"udp","type":"TProxy","sourceIP":"192.0.2.9","destinationIP":"198.18.0.4",)"
      R"("sourcePort":"5000","destinationPort":"443","inboundIP":"2001:db8::1",)"
      R"("inboundPort":"443","inboundName":"DEFAULT-TPROXY","inboundUser":"ann",)"
      R"("host":"example.test","dnsMode":"fake-ip","remoteDestination":"198.51.100.7:8388",)"
      R"("sniffHost":"sniffed.test","sourceName":"","sourceMAC":""},)"
      R"("upload":5000000000,"download":2048,"uploadPackets":0,"downloadPackets":0,)"
      R"("start":"2023-11-14T22:13:20.123Z",)"
      R"("chains":["ss1","PROXY"],"rule":"DomainSuffix","rulePayload":"test"}]})"
      "\n");
  EXPECT_EQ(flows_json({}), "{\"downloadTotal\":0,\"uploadTotal\":0,\"connections\":[]}\n");
}

TEST(Show, InboundTypesAndDnsModesAreSpelledAsDashboardsSwitchOnThem) {
  const std::pair<pb::InboundType, const char*> types[] = {
      {pb::INBOUND_HTTP, "HTTP"},     {pb::INBOUND_HTTPS, "HTTPS"}, {pb::INBOUND_SOCKS4, "Socks4"},
      {pb::INBOUND_SOCKS5, "Socks5"}, {pb::INBOUND_REDIR, "Redir"}, {pb::INBOUND_TPROXY, "TProxy"},
      {pb::INBOUND_INNER, "Inner"}};
  for (const auto& [type, text] : types) {
    pb::FlowTable table;
    table.add_flows()->set_inbound_type(type);
    EXPECT_NE(flows_json(table).find("\"type\":\"" + std::string(text) + "\""), std::string::npos);
  }
  const std::pair<pb::DnsMode, const char*> modes[] = {{pb::DNS_NORMAL, "normal"},
                                                       {pb::DNS_FAKE_IP, "fake-ip"},
                                                       {pb::DNS_MAPPING, "redir-host"},
                                                       {pb::DNS_HOSTS, "hosts"}};
  for (const auto& [mode, text] : modes) {
    pb::FlowTable table;
    table.add_flows()->set_dns_mode(mode);
    EXPECT_NE(flows_json(table).find("\"dnsMode\":\"" + std::string(text) + "\""),
              std::string::npos);
  }
}

TEST(Show, FlowsTextIsATable) {
  EXPECT_EQ(flows_text(sample_table(), {0, kStart_ms + 65'000}),
            "ID  NET  SOURCE          DESTINATION       RULE                WAY               UP"
            "     DOWN    AGE\n"
            "77  udp  192.0.2.9:5000  example.test:443  DOMAIN-SUFFIX,test  PROXY > ss1  4.7 GiB"
            "  2.0 KiB  1m05s\n");
}

TEST(Show, FlowsTextFitsTheTerminal) {
  pb::FlowTable table = sample_table();
  table.mutable_flows(0)->set_host("a-very-long-name-that-somebody-chose.example.test");
  table.mutable_flows(0)->set_chains(1, "🇭🇰 香港 PROXY");
  for (std::size_t width = 20; width < 160; width += 7) {
    std::string text = flows_text(table, {width, kStart_ms});
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      EXPECT_LE(text_width(text.substr(0, end)), width);
      text.erase(0, end + 1);
    }
  }
}

TEST(Show, AFlowWithoutANameShowsItsAddress) {
  pb::FlowTable table = sample_table();
  table.mutable_flows(0)->clear_host();
  table.mutable_flows(0)->mutable_destination()->set_ip("2001:db8::2");
  EXPECT_NE(flows_text(table, {0, 0}).find("[2001:db8::2]:443"), std::string::npos);
}

TEST(Show, SummaryHasRatesOnlyOverASpan) {
  pb::FlowTable table = sample_table();
  EXPECT_EQ(flows_summary(table, table, 0),
            "1 flow; all since the data plane started: up 10 B, down 20 B\n");
  pb::FlowTable later = table;
  later.set_upload_total(10 + 4096);
  EXPECT_EQ(flows_summary(later, table, 2000),
            "1 flow; all since the data plane started: up 4.0 KiB (2.0 KiB/s), down 20 B "
            "(0 B/s)\n");
  EXPECT_EQ(flows_summary(table, later, 1000),
            "1 flow; all since the data plane started: up 10 B, down 20 B (0 B/s)\n")
      << "a restarted data plane counts from zero";
}

pb::StatusReply sample_status() {
  pb::StatusReply s;
  s.set_generation(4);
  s.mutable_dataplane()->set_up(true);
  s.mutable_dataplane()->set_version("0.1.0");
  s.mutable_dataplane()->set_start_wall_ms(kStart_ms);
  s.mutable_controlplane()->set_up(true);
  s.set_capture(pb::CAPTURE_ON);
  auto* l = s.add_listeners();
  l->set_name("DEFAULT-MIXED");
  l->set_kind(pb::LISTENER_MIXED);
  l->set_address("127.0.0.1:7890");
  l->set_tcp(true);
  l->set_udp(true);
  auto* g = s.add_groups();
  g->set_name("PROXY");
  g->set_type("Selector");
  g->set_now("ss1");
  g->add_all("ss1");
  g->add_all("DIRECT");
  s.set_mode("rule");
  return s;
}

TEST(Show, StatusJsonBeginsWithTheDocumentedFields) {
  const std::string json = status_json(sample_status());
  EXPECT_TRUE(json.starts_with(
      R"({"generation":4,"dataplane":"running","controlplane":"running","capture":"on",)"
      R"("captureError":"","listeners":[{"name":"DEFAULT-MIXED","type":"mixed",)"
      R"("address":"127.0.0.1:7890","tcp":true,"udp":true,"error":""}],)"
      R"("groups":[{"name":"PROXY","type":"Selector","now":"ss1","all":["ss1","DIRECT"]}],)"
      R"("mode":"rule",)"))
      << json;
  pb::StatusReply away = sample_status();
  away.mutable_dataplane()->set_up(false);
  away.set_capture(pb::CAPTURE_FAILED);
  away.set_capture_error("no nft here");
  EXPECT_NE(status_json(away).find(R"("dataplane":"away")"), std::string::npos);
  EXPECT_NE(status_json(away).find(R"("capture":"failed","captureError":"no nft here")"),
            std::string::npos);
}

TEST(Show, StatusTextSaysWhatMatters) {
  pb::StatusReply s = sample_status();
  const std::string text = status_text(s, {0, kStart_ms + 3'600'000});
  for (const char* part :
       {"data plane     running, version 0.1.0, for 1h00m", "generation     4", "capture        on",
        "DEFAULT-MIXED", "127.0.0.1:7890", "tcp udp", "PROXY", "ss1, DIRECT"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("unconfirmed"), std::string::npos);
  s.set_confirm_seconds_left(9);
  s.mutable_listeners(0)->set_error("address in use");
  s.set_missing("IP_TRANSPARENT");
  const std::string trouble = status_text(s, {0, 0});
  for (const char* part : {"taken back in 9s", "sluice config confirm", "not open: address in use",
                           "missing        IP_TRANSPARENT"})
    EXPECT_NE(trouble.find(part), std::string::npos) << part;
}

TEST(Show, StatusSaysThatTheLastGoodConfigurationRuns) {
  pb::StatusReply s = sample_status();
  s.set_file_fault("c.yaml:2:1: rules: no");
  EXPECT_NE(status_text(s, {0, 0}).find("the last good one runs"), std::string::npos);
  EXPECT_NE(status_text(s, {0, 0}).find("c.yaml:2:1: rules: no\n"), std::string::npos);
  EXPECT_NE(status_json(s).find(R"("fileFault":"c.yaml:2:1: rules: no")"), std::string::npos);
}

// Whoever meets refusals finds the reason where the name stands, and once in full.
TEST(Show, StatusMarksWhatIsNotBuilt) {
  pb::StatusReply s = sample_status();
  s.mutable_groups(0)->add_all("later");
  s.mutable_groups(0)->set_now("later");
  auto* auto_group = s.add_groups();
  auto_group->set_name("auto");
  auto_group->set_type("URLTest");
  auto_group->set_now("ss1");
  auto_group->add_all("ss1");
  const auto add = [&s](const char* name, const char* type, const char* why, bool refuses) {
    auto* u = s.add_unbuilt();
    u->set_name(name);
    u->set_type(type);
    u->set_why(why);
    u->set_refuses(refuses);
  };
  add("later", "Vmess", "type vmess", true);
  add("auto", "URLTest", "type URLTest", false);
  const std::string text = status_text(s, {0, 0});
  EXPECT_NE(text.find("GROUP  TYPE      NOW     MEMBERS\n"
                      "PROXY  Selector  later*  ss1, DIRECT, later*\n"
                      "auto   URLTest*  ss1     ss1\n"
                      "\n"
                      "* NOT BUILT YET  TYPE     WHY           WHAT HAPPENS\n"
                      "later            Vmess    type vmess    flows to it are refused\n"
                      "auto             URLTest  type URLTest  acts as select\n"),
            std::string::npos)
      << text;
  EXPECT_NE(status_json(s).find(
                R"("unbuilt":[{"name":"later","type":"Vmess","why":"type vmess","refuses":true},)"
                R"({"name":"auto","type":"URLTest","why":"type URLTest","refuses":false}]})"),
            std::string::npos)
      << status_json(s);
  EXPECT_EQ(status_text(sample_status(), {0, 0}).find('*'), std::string::npos);
}

TEST(Show, WhatWasDoneIsJsonForPrograms) {
  pb::CloseFlowsReply closed;
  closed.set_closed(3);
  EXPECT_EQ(closed_json(closed), "{\"closed\":3}\n");
  pb::SelectRequest done;
  done.set_group("Out");
  done.set_name("🇭🇰 1");
  EXPECT_EQ(selected_json(done), "{\"group\":\"Out\",\"now\":\"🇭🇰 1\"}\n");
}

pb::ExplainReply sample_explanation() {
  pb::ExplainReply e;
  e.set_index(7);
  e.set_place("/c.yaml:14:5");
  e.set_rule("DomainSuffix");
  e.set_rule_payload("test");
  e.add_chains("ss1");
  e.add_chains("PROXY");
  auto* step = e.add_steps();
  step->set_what("names");
  step->set_detail("test is a suffix");
  step->set_ns(420);
  return e;
}

TEST(Show, ExplainJson) {
  EXPECT_EQ(
      explain_json(sample_explanation()),
      R"({"rule":"DomainSuffix","rulePayload":"test","chains":["ss1","PROXY"],"index":7,)"
      R"("list":"","place":"/c.yaml:14:5","steps":[{"what":"names","detail":"test is a suffix","ns":420}]})"
      "\n");
}

TEST(Show, ExplainText) {
  EXPECT_EQ(explain_text(sample_explanation(), {0, 0}),
            "rule 7 (/c.yaml:14:5): DOMAIN-SUFFIX,test -> PROXY > ss1\n\n"
            "   STEP   WHAT HAPPENS        TIME\n"
            "1  names  test is a suffix  420 ns\n");
  pb::ExplainReply of_list = sample_explanation();
  of_list.set_list("ads");
  EXPECT_TRUE(explain_text(of_list, {0, 0})
                  .starts_with("sub-rule ads, line 7 (/c.yaml:14:5): DOMAIN-SUFFIX,test -> PROXY"));
  EXPECT_NE(explain_json(of_list).find(R"("index":7,"list":"ads",)"), std::string::npos);
  pb::ExplainReply none;
  none.set_index(-1);
  none.add_chains("DIRECT");
  EXPECT_EQ(explain_text(none, {0, 0}), "no rule decides -> DIRECT\n");
  auto* step = none.add_steps();
  step->set_what("refused");
  step->set_detail("not built");
  EXPECT_EQ(explain_text(none, {0, 0}), "no rule decides -> DIRECT, refused: not built\n");
}

// Each fact once, and no times where nothing was measured.
TEST(Show, ExplainTextLeavesOutWhatSaysNothing) {
  pb::ExplainReply reply = sample_explanation();
  auto* group = reply.add_steps();
  group->set_what("group");
  group->set_detail("PROXY uses ss1");
  auto* refused = reply.add_steps();
  refused->set_what("refused");
  refused->set_detail("not built");
  EXPECT_EQ(explain_text(reply, {0, 0}),
            "rule 7 (/c.yaml:14:5): DOMAIN-SUFFIX,test -> PROXY > ss1, refused: not built\n\n"
            "   STEP   WHAT HAPPENS        TIME\n"
            "1  names  test is a suffix  420 ns\n"
            "2  group  PROXY uses ss1\n");
  reply.mutable_steps(0)->set_ns(0);
  EXPECT_EQ(explain_text(reply, {0, 0}).find("TIME"), std::string::npos);
}

TEST(Show, LogLinesAreSafeAndDropsAreSaid) {
  pb::LogBatch batch;
  batch.set_dropped(3);
  auto* r = batch.add_records();
  r->set_wall_ms(kStart_ms);
  r->set_level(pb::LOG_WARNING);
  r->set_plane("dataplane");
  r->set_component("flow");
  r->set_text("host=\x1b[31m \"x\"");
  EXPECT_EQ(log_text(batch),
            "(3 lines left out: this reader was too slow)\n"
            "2023-11-14T22:13:20.123Z warning dataplane/flow: host=?[31m \"x\"\n");
  EXPECT_EQ(log_json(batch),
            "{\"dropped\":3}\n"
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warning\",\"plane\":\"dataplane\","
            "\"component\":\"flow\",\"message\":\"host=\\u001b[31m \\\"x\\\"\"}\n");
}

TEST(Show, VersionWithAndWithoutARouter) {
  EXPECT_NE(version_text(nullptr).find("none is running"), std::string::npos);
  pb::VersionReply router;
  router.set_controlplane("0.1.0");
  router.set_contract(1);
  EXPECT_NE(version_text(&router).find("data plane     away"), std::string::npos);
  EXPECT_NE(version_json(&router).find(R"("controlplane":"0.1.0","dataplane":"","contract":1)"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
