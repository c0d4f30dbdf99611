#include "proto/wire/status.h"

#include "proto/wire/address.h"
#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"

namespace sluice::wire {
namespace {

void encode_state(const contract::ListenerState& in, v1::ListenerState* out) {
  out->set_name(in.name);
  out->set_kind(to_wire(in.kind));
  out->set_address(in.address);
  out->set_tcp(in.tcp);
  out->set_udp(in.udp);
  out->set_error(in.error);
}

contract::ListenerState decode_state(const Scope& at, const v1::ListenerState& in) {
  contract::ListenerState out;
  out.name = at.text(in.name(), "name", kMaxLabel);
  from_wire(at, "kind", in.kind(), out.kind);
  out.address = at.text(in.address(), "address", kMaxHostPort);
  out.tcp = in.tcp();
  out.udp = in.udp();
  out.error = at.text(in.error(), "error", kMaxText);
  return out;
}

void decode_lists(const Scope& at, const v1::HelloReply& in, contract::HelloReply& out) {
  if (at.fits(static_cast<std::size_t>(in.blobs_size()), "blobs", kMaxBlobs)) {
    for (const std::string& digest : in.blobs())
      out.blobs.push_back(Scope(at, "blobs", out.blobs.size()).digest(digest, ""));
  }
  if (at.fits(static_cast<std::size_t>(in.listeners_size()), "listeners", kMaxListeners)) {
    for (const v1::ListenerState& state : in.listeners())
      out.listeners.push_back(decode_state(Scope(at, "listeners", out.listeners.size()), state));
  }
}

contract::CounterDelta decode_delta(const Scope& at, const v1::CounterDelta& in) {
  contract::CounterDelta out;
  out.key.client = at.maybe_address(in.client(), "client");
  out.key.outbound = at.text(in.outbound(), "outbound", kMaxLabel);
  out.key.rule = at.text(in.rule(), "rule", kMaxLabel + 1 + kMaxText);
  out.key.host = at.text(in.host(), "host", kMaxHostPort);
  out.key.user = at.text(in.user(), "user", kMaxSecret);
  from_wire(at, "network", in.network(), out.key.network);
  out.upload = in.upload();
  out.download = in.download();
  out.flows = in.flows();
  return out;
}

}  // namespace

void encode(const contract::HelloReply& in, v1::HelloReply* out) {
  out->set_version(in.version);
  out->set_oldest_version(in.oldest_version);
  out->set_program(in.program);
  out->set_epoch(in.epoch);
  out->set_generation(in.generation);
  for (const contract::Digest& digest : in.blobs) out->add_blobs(to_bytes(digest));
  out->set_last_binding(in.last_binding);
  for (const contract::ListenerState& state : in.listeners)
    encode_state(state, out->add_listeners());
  out->set_capture(to_wire(in.capture));
  out->set_capture_error(in.capture_error);
  v1::Abilities* abilities = out->mutable_abilities();
  abilities->set_transparent(in.abilities.transparent);
  abilities->set_nft(in.abilities.nft);
  abilities->set_gso(in.abilities.gso);
  abilities->set_missing(in.abilities.missing);
  out->set_start_wall_ms(in.start_wall_ms);
  out->set_open_flows(in.open_flows);
  out->set_upload_total(in.upload_total);
  out->set_download_total(in.download_total);
  out->set_memory_used(in.memory_used);
  out->set_memory_bound(in.memory_bound);
  out->set_udp_mappings(in.udp.mappings);
  out->set_udp_evicted(in.udp.evicted);
  out->set_udp_dropped(in.udp.dropped);
}

Decoded<contract::HelloReply> decode(const v1::HelloReply& in) {
  Finding found;
  const Scope root(found);
  contract::HelloReply out;
  out.version = in.version();
  out.oldest_version = in.oldest_version();
  out.program = root.text(in.program(), "program", kMaxLabel);
  out.epoch = in.epoch();
  out.generation = in.generation();
  out.last_binding = in.last_binding();
  decode_lists(root, in, out);
  from_wire(root, "capture", in.capture(), out.capture);
  out.capture_error = root.text(in.capture_error(), "capture_error", kMaxText);
  out.abilities.transparent = in.abilities().transparent();
  out.abilities.nft = in.abilities().nft();
  out.abilities.gso = in.abilities().gso();
  out.abilities.missing =
      Scope(root, "abilities").text(in.abilities().missing(), "missing", kMaxText);
  out.start_wall_ms = in.start_wall_ms();
  out.open_flows = in.open_flows();
  out.upload_total = in.upload_total();
  out.download_total = in.download_total();
  out.memory_used = in.memory_used();
  out.memory_bound = in.memory_bound();
  out.udp = {in.udp_mappings(), in.udp_evicted(), in.udp_dropped()};
  return found.take(std::move(out));
}

void encode(const contract::CounterBatch& in, v1::CounterBatch* out) {
  out->set_epoch(in.epoch);
  out->set_sequence(in.sequence);
  out->set_final(in.final);
  for (const contract::CounterDelta& delta : in.deltas) {
    v1::CounterDelta* item = out->add_deltas();
    item->set_client(to_bytes(delta.key.client));
    item->set_outbound(delta.key.outbound);
    item->set_rule(delta.key.rule);
    item->set_host(delta.key.host);
    item->set_user(delta.key.user);
    item->set_network(to_wire(delta.key.network));
    item->set_upload(delta.upload);
    item->set_download(delta.download);
    item->set_flows(delta.flows);
  }
}

Decoded<contract::CounterBatch> decode(const v1::CounterBatch& in) {
  Finding found;
  const Scope root(found);
  contract::CounterBatch out;
  out.epoch = in.epoch();
  out.sequence = in.sequence();
  out.final = in.final();
  if (in.sequence() == 0) root.refuse("sequence", "is 0");
  if (root.fits(static_cast<std::size_t>(in.deltas_size()), "deltas", kMaxDeltas)) {
    for (const v1::CounterDelta& delta : in.deltas())
      out.deltas.push_back(decode_delta(Scope(root, "deltas", out.deltas.size()), delta));
  }
  return found.take(std::move(out));
}

void encode(const contract::CounterCursor& in, v1::CounterCursor* out) {
  out->set_epoch(in.epoch);
  out->set_sequence(in.sequence);
}

contract::CounterCursor decode(const v1::CounterCursor& in) {
  return {in.epoch(), in.sequence()};
}

void encode(const contract::LogRecord& in, v1::LogRecord* out) {
  out->set_wall_ms(in.wall_ms);
  out->set_level(to_wire(static_cast<LogLevel>(in.level)));
  out->set_component(in.component);
  out->set_text(in.text);
}

Decoded<std::vector<contract::LogRecord>> decode(const v1::LogRecords& in) {
  Finding found;
  const Scope root(found);
  std::vector<contract::LogRecord> out;
  if (root.fits(static_cast<std::size_t>(in.records_size()), "records", kMaxRecords)) {
    for (const v1::LogRecord& record : in.records()) {
      const Scope item(root, "records", out.size());
      LogLevel level = LogLevel::info;
      from_wire(item, "level", record.level(), level);
      out.push_back({record.wall_ms(), static_cast<std::uint8_t>(level),
                     item.text(record.component(), "component", kMaxLabel),
                     item.text(record.text(), "text", kMaxText)});
    }
  }
  return found.take(std::move(out));
}

}  // namespace sluice::wire
