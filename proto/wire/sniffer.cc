#include "proto/wire/sniffer.h"

#include "proto/wire/bounds.h"

namespace sluice::wire {
namespace {

void encode_ports(const contract::SniffPorts& in, v1::SniffPorts* out) {
  for (const contract::PortRange& range : in.ports) {
    v1::PortRange* item = out->add_ports();
    item->set_first(range.first);
    item->set_last(range.last);
  }
  out->set_override_destination(in.override_destination);
}

contract::SniffPorts decode_ports(const Scope& at, const v1::SniffPorts& in) {
  contract::SniffPorts out;
  if (at.fits(static_cast<std::size_t>(in.ports_size()), "ports", kMaxPortRanges)) {
    for (const v1::PortRange& range : in.ports()) {
      const Scope item(at, "ports", out.ports.size());
      out.ports.push_back({item.port(range.first(), "first"), item.port(range.last(), "last")});
    }
  }
  out.override_destination = in.override_destination();
  return out;
}

}  // namespace

void encode_sniffer(const contract::Sniffer& in, v1::Sniffer* out) {
  out->set_enable(in.enable);
  encode_ports(in.http, out->mutable_http());
  encode_ports(in.tls, out->mutable_tls());
  encode_ports(in.quic, out->mutable_quic());
  out->set_force_dns_mapping(in.force_dns_mapping);
  out->set_parse_pure_ip(in.parse_pure_ip);
  if (in.force_domain) out->set_force_domain(*in.force_domain);
  if (in.skip_domain) out->set_skip_domain(*in.skip_domain);
  if (in.skip_source) out->set_skip_source(*in.skip_source);
  if (in.skip_destination) out->set_skip_destination(*in.skip_destination);
}

contract::Sniffer decode_sniffer(const Scope& at, const v1::Sniffer& in) {
  contract::Sniffer out;
  out.enable = in.enable();
  out.http = decode_ports(Scope(at, "http"), in.http());
  out.tls = decode_ports(Scope(at, "tls"), in.tls());
  out.quic = decode_ports(Scope(at, "quic"), in.quic());
  out.force_dns_mapping = in.force_dns_mapping();
  out.parse_pure_ip = in.parse_pure_ip();
  if (in.has_force_domain()) out.force_domain = in.force_domain();
  if (in.has_skip_domain()) out.skip_domain = in.skip_domain();
  if (in.has_skip_source()) out.skip_source = in.skip_source();
  if (in.has_skip_destination()) out.skip_destination = in.skip_destination();
  return out;
}

}  // namespace sluice::wire
