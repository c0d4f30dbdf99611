#include <gtest/gtest.h>

#include "rig.h"

namespace sluice::manage {
namespace {

using WireTest = Rig;

contract::FlowInfo sample_flow() {
  contract::FlowInfo flow;
  flow.id = 77;
  flow.network = Network::udp;
  flow.inbound_type = contract::InboundType::tproxy;
  flow.inbound_name = "DEFAULT-TPROXY";
  flow.user = "ann";
  flow.source = *Endpoint::parse("192.0.2.9:5000");
  flow.inbound = *Endpoint::parse("[2001:db8::1]:443");
  flow.destination = *Destination::from_host("example.test", 443);
  flow.sniff_host = "sniffed.test";
  flow.remote = "198.51.100.7:8388";
  flow.dns_mode = contract::DnsMode::fake_ip;
  flow.rule_index = 3;
  flow.rule = "DomainSuffix";
  flow.rule_payload = "test";
  flow.chains = {"ss1", "PROXY"};
  flow.upload = 5'000'000'000;
  flow.download = 2;
  flow.start_wall_ms = 1'700'000'000'123;
  flow.state = contract::FlowState::half_closed;
  return flow;
}

TEST_F(WireTest, FlowsArriveWithEveryField) {
  service_.flows_ = {10, 20, {sample_flow()}};
  grpc::ClientContext context;
  api::FlowTable out;
  ASSERT_TRUE(client()->ListFlows(&context, {}, &out).ok());
  EXPECT_EQ(out.upload_total(), 10u);
  EXPECT_EQ(out.download_total(), 20u);
  ASSERT_EQ(out.flows_size(), 1);
  const api::Flow& flow = out.flows(0);
  EXPECT_EQ(flow.id(), 77u);
  EXPECT_EQ(flow.network(), api::NETWORK_UDP);
  EXPECT_EQ(flow.inbound_type(), api::INBOUND_TPROXY);
  EXPECT_EQ(flow.inbound_name(), "DEFAULT-TPROXY");
  EXPECT_EQ(flow.user(), "ann");
  EXPECT_EQ(flow.source().ip(), "192.0.2.9");
  EXPECT_EQ(flow.source().port(), 5000u);
  EXPECT_EQ(flow.inbound().ip(), "2001:db8::1");
  EXPECT_EQ(flow.host(), "example.test");
  EXPECT_EQ(flow.destination().ip(), "");
  EXPECT_EQ(flow.destination().port(), 443u);
  EXPECT_EQ(flow.remote(), "198.51.100.7:8388");
  EXPECT_EQ(flow.sniff_host(), "sniffed.test");
  EXPECT_EQ(flow.dns_mode(), api::DNS_FAKE_IP);
  EXPECT_EQ(flow.rule_index(), 3);
  EXPECT_EQ(flow.rule(), "DomainSuffix");
  EXPECT_EQ(flow.rule_payload(), "test");
  ASSERT_EQ(flow.chains_size(), 2);
  EXPECT_EQ(flow.chains(0), "ss1");
  EXPECT_EQ(flow.upload(), 5'000'000'000u);
  EXPECT_EQ(flow.download(), 2u);
  EXPECT_EQ(flow.start_wall_ms(), 1'700'000'000'123);
  EXPECT_EQ(flow.state(), api::FLOW_HALF_CLOSED);
}

// A client chooses its user name; bytes that are not UTF-8 must not make the whole table fail.
TEST_F(WireTest, OddBytesAreReplacedNotFatal) {
  contract::FlowInfo flow = sample_flow();
  flow.user = "a\xff\xc3(\xed\xa0\x80é\xe2\x82";
  service_.flows_ = {0, 0, {flow}};
  grpc::ClientContext context;
  api::FlowTable out;
  ASSERT_TRUE(client()->ListFlows(&context, {}, &out).ok());
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(out.flows(0).user(), "a" + mark + mark + "(" + mark + mark + mark + "é" + mark + mark);
}

TEST_F(WireTest, StatusArrives) {
  StatusReport& s = service_.status_;
  s.generation = 4;
  s.dataplane = {true, "0.1.0", 55};
  s.capture = contract::CaptureState::failed;
  s.capture_error = "no nft";
  s.listeners = {
      {"DEFAULT-MIXED", contract::ListenerKind::mixed, "127.0.0.1:7890", true, false, ""}};
  s.groups = {{"PROXY", "Selector", "ss1", {"ss1", "DIRECT"}}};
  s.unbuilt = {{"later", "Vmess", "type vmess", true}};
  s.mode = contract::Mode::global;
  s.confirm_seconds_left = 9;
  s.unsaved = true;
  s.file_fault = "c.yaml:2:1: no";
  grpc::ClientContext context;
  api::StatusReply out;
  ASSERT_TRUE(client()->GetStatus(&context, {}, &out).ok());
  EXPECT_EQ(out.generation(), 4u);
  EXPECT_TRUE(out.dataplane().up());
  EXPECT_FALSE(out.controlplane().up());
  EXPECT_EQ(out.capture(), api::CAPTURE_FAILED);
  EXPECT_EQ(out.listeners(0).kind(), api::LISTENER_MIXED);
  EXPECT_TRUE(out.listeners(0).tcp());
  EXPECT_EQ(out.groups(0).all(1), "DIRECT");
  EXPECT_EQ(out.unbuilt(0).name(), "later");
  EXPECT_EQ(out.unbuilt(0).type(), "Vmess");
  EXPECT_EQ(out.unbuilt(0).why(), "type vmess");
  EXPECT_TRUE(out.unbuilt(0).refuses());
  EXPECT_EQ(out.mode(), "global");
  EXPECT_EQ(out.confirm_seconds_left(), 9u);
  EXPECT_TRUE(out.unsaved());
  EXPECT_EQ(out.file_fault(), "c.yaml:2:1: no");
}

TEST_F(WireTest, ExplainChecksItsRequest) {
  const auto stub = client();
  const auto ask = [&](const std::string& host, std::uint32_t port, const std::string& source,
                       api::ExplainReply& reply) {
    grpc::ClientContext context;
    api::ExplainRequest request;
    request.set_host(host);
    request.set_port(port);
    request.set_source(source);
    return stub->Explain(&context, request, &reply).error_code();
  };
  api::ExplainReply reply;
  EXPECT_EQ(ask("Example.Test", 443, "192.0.2.1", reply), grpc::OK);
  EXPECT_EQ(reply.rule_payload(), "example.test:443");
  EXPECT_EQ(reply.steps(0).detail(), "192.0.2.1");
  EXPECT_EQ(reply.steps(0).ns(), 42u);
  EXPECT_EQ(reply.index(), 7);
  EXPECT_EQ(reply.place(), "config.yaml:14:5");
  EXPECT_EQ(ask("2001:db8::1", 1, "", reply), grpc::OK);
  EXPECT_EQ(ask("example.test", 0, "", reply), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(ask("example.test", 65536, "", reply), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(ask("", 443, "", reply), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(ask("a b", 443, "", reply), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(ask("example.test", 443, "not an address", reply), grpc::INVALID_ARGUMENT);
}

TEST_F(WireTest, ExplainTakesWhatFirstBytesWouldSay) {
  const auto stub = client();
  const auto ask = [&](const std::string& protocol, const std::string& host) {
    grpc::ClientContext context;
    api::ExplainRequest request;
    request.set_host("192.0.2.1");
    request.set_port(443);
    request.set_protocol(protocol);
    request.set_sniffed_host(host);
    api::ExplainReply reply;
    return stub->Explain(&context, request, &reply).error_code();
  };
  EXPECT_EQ(ask("TLS", "Sniffed.test"), grpc::OK);
  EXPECT_EQ(service_.explained_.protocol, contract::Protocol::tls);
  EXPECT_EQ(service_.explained_.sniffed_host, "sniffed.test");
  EXPECT_EQ(ask("", ""), grpc::OK);
  EXPECT_FALSE(service_.explained_.protocol);
  EXPECT_EQ(ask("ssh", ""), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(ask("", "192.0.2.1"), grpc::INVALID_ARGUMENT);
}

TEST_F(WireTest, CloseTakesIdsOrAllNotBothNotNeither) {
  const auto stub = client();
  const auto close = [&](std::vector<std::uint64_t> ids, bool all, std::uint32_t& closed) {
    grpc::ClientContext context;
    api::CloseFlowsRequest request;
    for (const std::uint64_t id : ids) request.add_ids(id);
    request.set_all(all);
    api::CloseFlowsReply reply;
    const auto code = stub->CloseFlows(&context, request, &reply).error_code();
    closed = reply.closed();
    return code;
  };
  std::uint32_t closed = 0;
  EXPECT_EQ(close({1, 2}, false, closed), grpc::OK);
  EXPECT_EQ(closed, 2u);
  EXPECT_EQ(close({}, true, closed), grpc::OK);
  EXPECT_EQ(closed, 99u);
  EXPECT_EQ(close({}, false, closed), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(close({1}, true, closed), grpc::INVALID_ARGUMENT);
}

TEST_F(WireTest, ConfigCallsCarryTextOptionsAndDiagnostics) {
  const auto stub = client();
  {
    grpc::ClientContext context;
    api::ConfigCheckRequest request;
    request.mutable_config()->set_file("c.yaml");
    request.mutable_config()->set_text("abc");
    api::ConfigCheckReply reply;
    ASSERT_TRUE(stub->ConfigCheck(&context, request, &reply).ok());
    EXPECT_EQ(reply.diagnostics(0).file(), "c.yaml");
    EXPECT_EQ(reply.diagnostics(0).line(), 3u);
    EXPECT_EQ(reply.diagnostics(0).problem(), "3 bytes");
    EXPECT_EQ(reply.diagnostics(0).severity(), api::SEVERITY_ERROR);
  }
  {
    grpc::ClientContext context;
    api::ConfigApplyRequest request;
    request.mutable_config()->set_text("new");
    request.set_confirm_seconds(60);
    api::ConfigApplyReply reply;
    ASSERT_TRUE(stub->ConfigApply(&context, request, &reply).ok());
    EXPECT_TRUE(reply.applied());
    EXPECT_EQ(reply.generation(), 12u);
    EXPECT_EQ(service_.applied_.config.text, "new");
    EXPECT_EQ(service_.applied_.confirm_seconds, 60u);
  }
  for (const auto& [once, seconds] : {std::pair{true, 60U}, {false, 86'401U}}) {
    grpc::ClientContext context;
    api::ConfigApplyRequest request;
    request.set_once(once);
    request.set_confirm_seconds(seconds);
    api::ConfigApplyReply reply;
    EXPECT_EQ(stub->ConfigApply(&context, request, &reply).error_code(), grpc::INVALID_ARGUMENT);
  }
}

TEST_F(WireTest, RollbackConfirmDiffAndCaptureOpen) {
  const auto stub = client();
  grpc::ClientContext diff_context, confirm_context, back_context, far_context, open_context;
  api::ConfigDiffReply diff;
  ASSERT_TRUE(stub->ConfigDiff(&diff_context, {}, &diff).ok());
  EXPECT_EQ(diff.changes(0), "mixed-port: 1 -> 2");
  api::ConfigConfirmReply confirm;
  EXPECT_EQ(stub->ConfigConfirm(&confirm_context, {}, &confirm).error_code(),
            grpc::FAILED_PRECONDITION);
  api::ConfigRollbackReply back;
  ASSERT_TRUE(stub->ConfigRollback(&back_context, {}, &back).ok());
  EXPECT_EQ(back.generation(), 1u) << "no number means one step";
  EXPECT_EQ(back.saved_wall_ms(), 1000);
  api::ConfigRollbackRequest far;
  far.set_steps(6);
  EXPECT_EQ(stub->ConfigRollback(&far_context, far, &back).error_code(), grpc::NOT_FOUND);
  api::CaptureOpenReply open;
  ASSERT_TRUE(stub->CaptureOpen(&open_context, {}, &open).ok());
  EXPECT_TRUE(open.was_closed());
}

}  // namespace
}  // namespace sluice::manage
