#include "proto/wire/flows.h"

#include <algorithm>

#include "proto/wire/address.h"
#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"

namespace sluice::wire {
namespace {

contract::FlowInfo decode_flow(const Scope& at, const v1::Flow& in) {
  contract::FlowInfo out;
  out.id = in.id();
  from_wire(at, "network", in.network(), out.network);
  from_wire(at, "inbound_type", in.inbound_type(), out.inbound_type);
  out.inbound_name = at.text(in.inbound_name(), "inbound_name", kMaxLabel);
  out.user = at.text(in.user(), "user", kMaxSecret);
  out.source = decode_endpoint(Scope(at, "source"), in.source());
  out.inbound = decode_endpoint(Scope(at, "inbound"), in.inbound());
  out.destination = decode_destination(Scope(at, "destination"), in.destination());
  out.sniff_host = at.name(in.sniff_host(), "sniff_host");
  out.remote = at.text(in.remote(), "remote", kMaxHostPort);
  from_wire(at, "dns_mode", in.dns_mode(), out.dns_mode);
  out.rule_index = in.rule_index();
  out.rule = at.text(in.rule(), "rule", kMaxLabel);
  out.rule_payload = at.text(in.rule_payload(), "rule_payload", kMaxText);
  out.rule_list = at.text(in.rule_list(), "rule_list", kMaxLabel);
  if (at.fits(static_cast<std::size_t>(in.chains_size()), "chains", kMaxChain)) {
    for (const std::string& name : in.chains())
      out.chains.push_back(Scope(at, "chains", out.chains.size()).text(name, "", kMaxLabel));
  }
  out.upload = in.upload();
  out.download = in.download();
  out.upload_packets = in.upload_packets();
  out.download_packets = in.download_packets();
  out.start_wall_ms = in.start_wall_ms();
  from_wire(at, "state", in.state(), out.state);
  out.close = close_reason_from_wire(in.close());
  out.close_reason = at.text(in.close_reason(), "close_reason", kMaxText);
  return out;
}

std::vector<contract::FlowInfo> decode_flows(
    const Scope& at, const char* field, const google::protobuf::RepeatedPtrField<v1::Flow>& in) {
  std::vector<contract::FlowInfo> out;
  const auto count = static_cast<std::size_t>(in.size());
  if (!at.fits(count, field, kMaxPageFlows)) return out;
  out.reserve(count);
  for (const v1::Flow& flow : in) {
    out.push_back(decode_flow(Scope(at, field, out.size()), flow));
    if (at.refused()) break;
  }
  return out;
}

/// A message is full when half of its bound is used: one more flow then fits whatever it holds.
class Room {
 public:
  [[nodiscard]] bool full() const noexcept {
    return size_ >= kMaxMessage / 2 || items_ >= kMaxPageFlows;
  }
  void use(std::size_t size) noexcept {
    size_ += size + 8;
    ++items_;
  }

 private:
  std::size_t size_ = 0;
  std::size_t items_ = 0;
};

}  // namespace

void encode(const contract::FlowInfo& in, v1::Flow* out) {
  out->set_id(in.id);
  out->set_network(to_wire(in.network));
  out->set_inbound_type(to_wire(in.inbound_type));
  out->set_inbound_name(in.inbound_name);
  out->set_user(in.user);
  encode(in.source, out->mutable_source());
  encode(in.inbound, out->mutable_inbound());
  encode(in.destination, out->mutable_destination());
  out->set_sniff_host(in.sniff_host);
  out->set_remote(in.remote);
  out->set_dns_mode(to_wire(in.dns_mode));
  out->set_rule_index(in.rule_index);
  out->set_rule(in.rule);
  out->set_rule_payload(in.rule_payload);
  out->set_rule_list(in.rule_list);
  const std::size_t count = std::min(in.chains.size(), kMaxChain);
  for (std::size_t i = 0; i < count; ++i) out->add_chains(in.chains[i]);
  out->set_upload(in.upload);
  out->set_download(in.download);
  out->set_upload_packets(in.upload_packets);
  out->set_download_packets(in.download_packets);
  out->set_start_wall_ms(in.start_wall_ms);
  out->set_state(to_wire(in.state));
  out->set_close(to_wire(in.close));
  out->set_close_reason(in.close_reason);
}

void encode(const contract::FlowProgress& in, v1::FlowProgress* out) {
  out->set_id(in.id);
  out->set_upload(in.upload);
  out->set_download(in.download);
  out->set_upload_packets(in.upload_packets);
  out->set_download_packets(in.download_packets);
}

std::vector<v1::FlowEvents> encode_parts(const contract::FlowEvents& in) {
  std::vector<v1::FlowEvents> parts(1);
  parts.front().set_reset(in.reset);
  parts.front().set_lost(in.lost);
  Room room;
  const auto next = [&]() -> v1::FlowEvents& {
    if (room.full()) {
      parts.emplace_back();
      room = Room{};
    }
    return parts.back();
  };
  for (const contract::FlowInfo& flow : in.flows) {
    v1::Flow* item = next().add_flows();
    encode(flow, item);
    room.use(item->ByteSizeLong());
  }
  for (const contract::FlowInfo& flow : in.closed) {
    v1::Flow* item = next().add_closed();
    encode(flow, item);
    room.use(item->ByteSizeLong());
  }
  for (const contract::FlowProgress& progress : in.progress) {
    v1::FlowProgress* item = next().add_progress();
    encode(progress, item);
    room.use(item->ByteSizeLong());
  }
  return parts;
}

std::vector<v1::FlowPage> encode_pages(std::span<const contract::FlowInfo> flows) {
  std::vector<v1::FlowPage> pages(1);
  Room room;
  for (const contract::FlowInfo& flow : flows) {
    if (room.full()) {
      pages.emplace_back();
      room = Room{};
    }
    v1::Flow* item = pages.back().add_flows();
    encode(flow, item);
    room.use(item->ByteSizeLong());
  }
  return pages;
}

Decoded<contract::FlowEvents> decode(const v1::FlowEvents& in) {
  Finding found;
  const Scope root(found);
  contract::FlowEvents out;
  out.reset = in.reset();
  out.lost = in.lost();
  out.flows = decode_flows(root, "flows", in.flows());
  out.closed = decode_flows(root, "closed", in.closed());
  if (root.fits(static_cast<std::size_t>(in.progress_size()), "progress", kMaxPageFlows)) {
    for (const v1::FlowProgress& item : in.progress())
      out.progress.push_back({item.id(), item.upload(), item.download(), item.upload_packets(),
                              item.download_packets()});
  }
  return found.take(std::move(out));
}

Decoded<std::vector<contract::FlowInfo>> decode(const v1::FlowPage& in) {
  Finding found;
  const Scope root(found);
  auto out = decode_flows(root, "flows", in.flows());
  return found.take(std::move(out));
}

void encode(const contract::ExplainQuery& in, v1::ExplainQuery* out) {
  encode(in.destination, out->mutable_destination());
  out->set_network(to_wire(in.network));
  out->set_source(to_bytes(in.source));
  out->set_source_port(in.source_port);
  out->set_inbound_type(to_wire(in.inbound_type));
  out->set_listener(in.listener);
  if (in.protocol) out->set_protocol(to_wire(*in.protocol));
  out->set_sniffed_host(in.sniffed_host);
}

Decoded<contract::ExplainQuery> decode(const v1::ExplainQuery& in) {
  Finding found;
  const Scope root(found);
  contract::ExplainQuery out;
  out.destination = decode_destination(Scope(root, "destination"), in.destination());
  from_wire(root, "network", in.network(), out.network);
  out.source = root.maybe_address(in.source(), "source");
  out.source_port = root.port(in.source_port(), "source_port");
  from_wire(root, "inbound_type", in.inbound_type(), out.inbound_type);
  out.listener = root.text(in.listener(), "listener", kMaxLabel);
  if (in.protocol() != v1::PROTOCOL_UNSPECIFIED)
    from_wire(root, "protocol", in.protocol(), out.protocol.emplace());
  out.sniffed_host = root.name(in.sniffed_host(), "sniffed_host");
  return found.take(std::move(out));
}

void encode(const contract::Explanation& in, v1::Explanation* out) {
  out->set_index(in.index);
  out->set_rule(in.rule);
  out->set_rule_payload(in.rule_payload);
  out->set_rule_list(in.rule_list);
  const std::size_t names = std::min(in.chains.size(), kMaxChain);
  for (std::size_t i = 0; i < names; ++i) out->add_chains(in.chains[i]);
  const std::size_t steps = std::min(in.steps.size(), kMaxSteps);
  for (std::size_t i = 0; i < steps; ++i) {
    v1::ExplainStep* step = out->add_steps();
    step->set_what(in.steps[i].what);
    step->set_detail(in.steps[i].detail);
    step->set_ns(in.steps[i].ns);
  }
}

Decoded<contract::Explanation> decode(const v1::Explanation& in) {
  Finding found;
  const Scope root(found);
  contract::Explanation out;
  out.index = in.index();
  out.rule = root.text(in.rule(), "rule", kMaxLabel);
  out.rule_payload = root.text(in.rule_payload(), "rule_payload", kMaxText);
  out.rule_list = root.text(in.rule_list(), "rule_list", kMaxLabel);
  if (root.fits(static_cast<std::size_t>(in.chains_size()), "chains", kMaxChain)) {
    for (const std::string& name : in.chains())
      out.chains.push_back(Scope(root, "chains", out.chains.size()).text(name, "", kMaxLabel));
  }
  if (root.fits(static_cast<std::size_t>(in.steps_size()), "steps", kMaxSteps)) {
    for (const v1::ExplainStep& step : in.steps()) {
      const Scope item(root, "steps", out.steps.size());
      out.steps.push_back({item.text(step.what(), "what", kMaxLabel),
                           item.text(step.detail(), "detail", kMaxText), step.ns()});
    }
  }
  return found.take(std::move(out));
}

}  // namespace sluice::wire
