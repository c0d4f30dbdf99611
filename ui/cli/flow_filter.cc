#include "ui/cli/flow_filter.h"

#include <algorithm>
#include <utility>

#include "proto/common/address.h"
#include "proto/common/text.h"
#include "proto/contract/rule_type.h"

namespace sluice::cli {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_text(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_client(const pb::Flow& flow, const std::string& wanted) {
  if (same_text(wanted, flow.client_name()) || same_text(wanted, flow.client_mac())) return true;
  const Result<IpAddress> source = IpAddress::parse(flow.source().ip());
  if (!source) return false;
  if (const Result<Prefix> prefix = Prefix::parse(wanted)) return prefix->contains(*source);
  const Result<IpAddress> address = IpAddress::parse(wanted);
  return address && *address == *source;
}

bool is_host(const pb::Flow& flow, std::string_view wanted) {
  const std::string_view name = flow.host();
  if (name.size() > wanted.size() && name[name.size() - wanted.size() - 1] == '.' &&
      same_text(name.substr(name.size() - wanted.size()), wanted))
    return true;
  return same_text(name, wanted) || same_text(flow.destination().ip(), wanted);
}

std::uint64_t per_second(std::uint64_t bytes, std::int64_t span_ms) noexcept {
  return span_ms <= 0 ? 0 : bytes * 1000 / static_cast<std::uint64_t>(span_ms);
}

}  // namespace

std::string rule_text(const pb::Flow& flow) {
  std::string out(contract::written_type(flow.rule()));
  return flow.rule_payload().empty() ? out : out + "," + flow.rule_payload();
}

const std::string& client_text(const pb::Flow& flow) {
  return flow.client_name().empty() ? flow.source().ip() : flow.client_name();
}

bool FlowFilter::wants(const pb::Flow& flow) const {
  if (!client.empty() && !is_client(flow, client)) return false;
  if (!host.empty() && !is_host(flow, host)) return false;
  if (!outbound.empty() && std::ranges::find(flow.chains(), outbound) == flow.chains().end())
    return false;
  return rule.empty() || same_text(rule, rule_text(flow)) || same_text(rule, flow.rule_payload()) ||
         same_text(rule, contract::written_type(flow.rule()));
}

void FlowRates::look(const pb::FlowTable& table, Moment now) {
  const std::int64_t span = looks_ == 0 ? 0 : (now - last_).count;
  std::map<std::uint64_t, Moved> moved;
  rates_.clear();
  for (const pb::Flow& flow : table.flows()) {
    moved[flow.id()] = {flow.upload(), flow.download()};
    const auto former = before_.find(flow.id());
    const Moved base = former == before_.end() ? Moved{} : former->second;
    // A restarted data plane numbers its flows anew.
    rates_[flow.id()] = {per_second(flow.upload() - std::min(base.up, flow.upload()), span),
                         per_second(flow.download() - std::min(base.down, flow.download()), span)};
  }
  before_ = std::move(moved);
  last_ = now;
  ++looks_;
}

FlowRate FlowRates::of(const pb::Flow& flow) const {
  const auto found = rates_.find(flow.id());
  return found == rates_.end() ? FlowRate{} : found->second;
}

void keep_wanted(pb::FlowTable& table, const FlowFilter& filter, const FlowRates& rates) {
  if (filter.empty()) return;
  google::protobuf::RepeatedPtrField<pb::Flow> wanted;
  for (pb::Flow& flow : *table.mutable_flows()) {
    if (!filter.wants(flow)) continue;
    if (rates.known() && rates.of(flow).both() < filter.min_rate) continue;
    *wanted.Add() = std::move(flow);
  }
  table.mutable_flows()->Swap(&wanted);
}

}  // namespace sluice::cli
