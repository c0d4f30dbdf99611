// The whole way of a rule: YAML, model, manifest and block, snapshot, decision. Flows and what is
// right for them stand in tests/golden/decisions/.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "controlplane/compile/compile.h"
#include "controlplane/model/load.h"
#include "dataplane/route/matcher.h"
#include "proto/common/text.h"
#include "tests/unit/controlplane/compile/text_sets.h"

namespace sluice {
namespace {

std::string read_golden(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN_DIR) + "/decisions/" + name);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::unique_ptr<const route::Snapshot> snapshot_of(const compile::CompileResult& compiled) {
  route::BlobMap blobs;
  for (const auto& blob : compiled.blobs) blobs[blob->digest] = blob;
  auto built = route::build_snapshot(compiled.manifest, blobs, 1, nullptr);
  if (!built) ADD_FAILURE() << built.error().place << ": " << built.error().reason;
  return built ? std::move(*built) : nullptr;
}

struct Flow {
  std::string network, target, source, inbound, answer;
  std::int32_t rule = 0;
  std::string chain;
};

Flow parse(const std::string& line) {
  std::istringstream in(line);
  Flow f;
  in >> f.network >> f.target >> f.source >> f.inbound >> f.answer >> f.rule;
  in.get();
  std::getline(in, f.chain);
  return f;
}

contract::InboundType inbound(std::string_view text) {
  constexpr std::string_view names[] = {"http", "https", "socks4", "socks5", "redir", "tproxy"};
  return static_cast<contract::InboundType>(std::ranges::find(names, text) - std::begin(names));
}

std::string chain_text(const route::Snapshot& s, const route::Route& route) {
  std::string out;
  for (const std::uint32_t index : route.chain())
    out += (out.empty() ? "" : " < ") + s.outbound(index).name;
  if (route.refused != route::Refused::none)
    out += " [" + std::string(route::describe(route.refused)) + "]";
  return out;
}

void check(const route::Snapshot& s, const std::string& line) {
  SCOPED_TRACE(line);
  const Flow flow = parse(line);
  const auto target = split_host_port(flow.target);
  ASSERT_TRUE(target);
  const auto to = Destination::from_host(target->host, target->port);
  ASSERT_TRUE(to);
  route::FlowFacts facts;
  facts.network = flow.network == "udp" ? Network::udp : Network::tcp;
  facts.source = *Endpoint::parse(flow.source);
  facts.inbound_type = inbound(flow.inbound);
  facts.destination = &*to;
  route::Matcher m(s, facts);
  const bool asks = m.run() == route::Matcher::Ask::needs_address;
  ASSERT_EQ(asks, flow.answer != "-");
  if (asks) {
    std::vector<IpAddress> answer;
    if (flow.answer != "fail") answer.push_back(*IpAddress::parse(flow.answer));
    m.set_addresses(answer);
    ASSERT_EQ(m.run(), route::Matcher::Ask::decided);
  }
  EXPECT_EQ(m.route().rule_index, flow.rule);
  EXPECT_EQ(chain_text(s, m.route()), flow.chain);
}

TEST(GoldenDecisions, EveryFlowTakesItsRule) {
  const auto loaded = model::load_config(read_golden("gateway.yaml"), "gateway.yaml");
  for (const auto& d : loaded.diagnostics)
    if (d.severity == model::Severity::error) ADD_FAILURE() << d.to_text();
  ASSERT_TRUE(loaded.config);
  compile::TextSets inputs;
  const auto compiled = compile::compile(*loaded.config, {inputs, inputs});
  ASSERT_TRUE(compiled);
  const auto snapshot = snapshot_of(*compiled);
  ASSERT_TRUE(snapshot);
  std::istringstream flows(read_golden("gateway.flows"));
  std::size_t count = 0;
  for (std::string line; std::getline(flows, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    check(*snapshot, line);
    ++count;
  }
  EXPECT_GE(count, 26U);
}

// A reload sends only what changed: what did not must have the same digest, to the byte.
TEST(GoldenDecisions, EqualConfigurationsCompileToEqualBytes) {
  const std::string text = read_golden("gateway.yaml");
  const auto first = model::load_config(text, "a.yaml");
  const auto second = model::load_config("# moved down by a line\n" + text, "b.yaml");
  ASSERT_TRUE(first.config && second.config);
  compile::TextSets inputs;
  const auto a = compile::compile(*first.config, {inputs, inputs});
  const auto b = compile::compile(*second.config, {inputs, inputs});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->manifest, b->manifest);
  EXPECT_TRUE(std::ranges::equal(a->blobs[0]->bytes, b->blobs[0]->bytes));
  EXPECT_EQ(a->blobs[0]->digest, a->manifest.ruleset);
}

}  // namespace
}  // namespace sluice
