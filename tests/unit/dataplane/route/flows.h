// A flow to be decided, and the steps that an explanation of it has.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/route/matcher.h"

namespace sluice::route::test {

struct Steps final : TraceSink {
  std::vector<contract::ExplainStep> steps;
  void step(contract::ExplainStep s) override { steps.push_back(std::move(s)); }
  [[nodiscard]] bool says(std::string_view what, std::string_view detail) const {
    return std::ranges::any_of(steps, [&](const auto& s) {
      return s.what == what && s.detail.find(detail) != std::string::npos;
    });
  }
  /// Details of the steps of a kind, in order.
  [[nodiscard]] std::vector<std::string> of(std::string_view what) const {
    std::vector<std::string> out;
    for (const auto& s : steps)
      if (s.what == what) out.push_back(s.detail);
    return out;
  }
};

/// Keeps what the facts point to.
struct Flow {
  Destination to;
  FlowFacts facts;
  explicit Flow(const std::string& host, Network network = Network::tcp) : Flow(host, 443) {
    facts.network = network;
  }
  Flow(const std::string& host, std::uint16_t port) : to(*Destination::from_host(host, port)) {
    facts.destination = &to;
    facts.source = *Endpoint::parse("192.0.2.9:5000");
  }
  Flow(const Flow&) = delete;
};

}  // namespace sluice::route::test
