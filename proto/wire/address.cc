#include "proto/wire/address.h"

namespace sluice::wire {

void encode(const Endpoint& in, v1::Endpoint* out) {
  out->set_ip(to_bytes(in.ip));
  out->set_port(in.port);
}

void encode(const Prefix& in, v1::Prefix* out) {
  out->set_base(to_bytes(in.base));
  out->set_length(in.length);
}

void encode(const Destination& in, v1::Destination* out) {
  out->set_name(in.name);
  out->set_ip(to_bytes(in.ip));
  out->set_port(in.port);
}

Endpoint decode_endpoint(const Scope& at, const v1::Endpoint& in) {
  return Endpoint{at.maybe_address(in.ip(), "ip"), at.port(in.port(), "port")};
}

Destination decode_destination(const Scope& at, const v1::Destination& in) {
  Destination out;
  out.name = at.name(in.name(), "name");
  out.ip = at.maybe_address(in.ip(), "ip");
  out.port = at.port(in.port(), "port");
  if (in.name().empty() && in.ip().empty()) at.refuse("", "has neither a name nor an address");
  return out;
}

}  // namespace sluice::wire
