// Shared by this folder's tests: a configuration's text, compiled, asked about flows as a data
// plane would.
//
//   Decider d("rules: ['DOMAIN,a.test,REJECT', 'MATCH,DIRECT']");
//   d.line("to=a.test:443 net=udp")        0
//   d.of("to=b.test:443 ip=192.0.2.1")     {line 1, lookups 0, owners 0}
//
// Flows: to net src in name port user rematch dscp mac utc entry; ip = what a look-up gives, uid
// and exe = the owner, for flows of this machine; speaks = what a look at its first bytes tells.
// What is left out is as Flow begins.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "controlplane/compile/compile.h"
#include "controlplane/model/load.h"
#include "dataplane/route/matcher.h"
#include "proto/common/text.h"
#include "tests/unit/controlplane/compile/text_sets.h"

namespace sluice::compile {

struct Decision {
  std::int32_t line = -1;  ///< in the manifest
  int lookups = 0;
  int owners = 0;
  friend bool operator==(const Decision&, const Decision&) = default;
};
inline void PrintTo(const Decision& d, std::ostream* out) {
  *out << "line " << d.line << ", lookups " << d.lookups << ", owners " << d.owners;
}

class Decider {
 public:
  explicit Decider(std::string_view yaml) : Decider(yaml, TextSets()) {}
  Decider(std::string_view yaml, TextSets sets) : inputs(std::move(sets)) {
    const auto loaded = model::load_config(yaml, "test.yaml");
    for (const auto& d : loaded.diagnostics)
      if (d.severity == model::Severity::error) ADD_FAILURE() << d.to_text();
    if (!loaded.config) return;
    auto result = compile(*loaded.config, {inputs, inputs});
    EXPECT_TRUE(result);
    if (!result) return;
    compiled = std::move(*result);
    route::BlobMap blobs;
    for (const auto& blob : compiled.blobs) blobs[blob->digest] = blob;
    auto built = route::build_snapshot(compiled.manifest, blobs, 1, nullptr);
    if (!built) ADD_FAILURE() << built.error().place << ": " << built.error().reason;
    if (built) snapshot_ = std::move(*built);
  }

  [[nodiscard]] Decision of(std::string_view flow) const {
    Flow f(flow);
    Decision out;
    if (!snapshot_) return out;
    route::Matcher m(*snapshot_, f.facts);
    for (auto ask = m.run(); ask != route::Matcher::Ask::decided; ask = m.run()) {
      if (ask == route::Matcher::Ask::needs_address) {
        ++out.lookups;
        m.set_addresses(f.addresses);
      } else if (ask == route::Matcher::Ask::needs_protocol) {
        m.set_protocol(f.protocol);
      } else {
        ++out.owners;
        m.set_owner(f.owner);
      }
    }
    out.line = m.route().rule_index;
    return out;
  }
  [[nodiscard]] std::int32_t line(std::string_view flow) const { return of(flow).line; }
  [[nodiscard]] const route::Snapshot& snapshot() const { return *snapshot_; }
  [[nodiscard]] const contract::Manifest& manifest() const { return compiled.manifest; }

  TextSets inputs;
  CompileResult compiled;

 private:
  struct Flow {
    explicit Flow(std::string_view text) {
      facts.source = *Endpoint::parse("192.168.1.5:50000");
      facts.inbound_name = "lan";
      facts.inbound_port = 7890;
      facts.utc_seconds = 1'700'000'000;  // Tuesday, 2023-11-14 22:13:20
      std::istringstream in{std::string(text)};
      for (std::string word; in >> word;) {
        const std::size_t cut = word.find('=');
        take(word.substr(0, cut), word.substr(cut + 1));
      }
      facts.destination = &to;
    }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    void take(const std::string& key, const std::string& value) {
      if (key == "to") {
        const auto parts = split_host_port(value);
        to = *Destination::from_host(parts->host, parts->port);
      } else if (key == "ip") {
        addresses.push_back(*IpAddress::parse(value));
      } else if (key == "net") {
        facts.network = value == "udp" ? Network::udp : Network::tcp;
      } else if (key == "src") {
        facts.source = *Endpoint::parse(value);
      } else if (key == "in") {
        facts.inbound_type = value == "http"     ? contract::InboundType::http
                             : value == "tproxy" ? contract::InboundType::tproxy
                                                 : contract::InboundType::socks5;
      } else if (key == "port") {
        facts.inbound_port = static_cast<std::uint16_t>(*parse_number(value));
      } else if (key == "dscp") {
        facts.dscp = static_cast<std::uint8_t>(*parse_number(value));
      } else if (key == "entry") {
        facts.entry = static_cast<std::uint32_t>(*parse_number(value));
      } else if (key == "utc") {
        facts.utc_seconds = static_cast<std::int64_t>(*parse_number(value));
      } else if (key == "speaks") {
        facts.can_speak = true;
        protocol = *contract::find_protocol(value);
      } else if (key == "mac") {
        facts.source_mac = std::stoull(value, nullptr, 16);
      } else if (key == "uid") {
        facts.local_source = true;
        owner.uid = static_cast<std::uint32_t>(*parse_number(value));
      } else {
        take_text(key, value);
      }
    }
    void take_text(const std::string& key, const std::string& value) {
      std::string& text = texts[key];
      text = value;
      if (key == "name") facts.inbound_name = text;
      if (key == "user") facts.user = text;
      if (key == "rematch") facts.rematch_name = text;
      if (key == "exe") {
        facts.local_source = true;
        owner.process_path = text;
      }
    }

    Destination to = *Destination::from_host("usual.test", 443);
    route::FlowFacts facts;
    contract::Protocol protocol = contract::Protocol::none;
    std::vector<IpAddress> addresses;
    route::Owner owner;
    std::map<std::string, std::string> texts;
  };

  std::unique_ptr<const route::Snapshot> snapshot_;
};

}  // namespace sluice::compile
