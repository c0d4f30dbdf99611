#include "proto/wire/listener.h"

#include "proto/wire/address.h"
#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"

namespace sluice::wire {

void encode_listener(const contract::Listener& in, v1::Listener* out) {
  out->set_name(in.name);
  out->set_kind(to_wire(in.kind));
  out->set_address(to_bytes(in.address));
  out->set_port(in.port);
  out->set_udp(in.udp);
  for (const contract::User& user : in.users) {
    v1::User* item = out->add_users();
    item->set_name(user.name);
    item->set_password(user.password);
  }
  for (const Prefix& prefix : in.skip_auth) encode(prefix, out->add_skip_auth());
  for (const Prefix& prefix : in.allowed_sources) encode(prefix, out->add_allowed_sources());
  for (const Prefix& prefix : in.denied_sources) encode(prefix, out->add_denied_sources());
  if (in.outbound) out->set_outbound(*in.outbound);
  if (in.rule_entry) out->set_rule_entry(*in.rule_entry);
}

contract::Listener decode_listener(const Scope& at, const v1::Listener& in) {
  contract::Listener out;
  out.name = at.label(in.name(), "name", kMaxLabel);
  from_wire(at, "kind", in.kind(), out.kind);
  out.address = at.address(in.address(), "address");
  out.port = at.port(in.port(), "port");
  if (in.port() == 0) at.refuse("port", "is 0");
  out.udp = in.udp();
  if (at.fits(static_cast<std::size_t>(in.users_size()), "users", kMaxUsers)) {
    for (const v1::User& user : in.users()) {
      const Scope item(at, "users", out.users.size());
      out.users.push_back({item.label(user.name(), "name", kMaxSecret),
                           item.text(user.password(), "password", kMaxSecret)});
    }
  }
  out.skip_auth = decode_prefixes(at, "skip_auth", in.skip_auth());
  out.allowed_sources = decode_prefixes(at, "allowed_sources", in.allowed_sources());
  out.denied_sources = decode_prefixes(at, "denied_sources", in.denied_sources());
  if (in.has_outbound()) out.outbound = in.outbound();
  if (in.has_rule_entry()) out.rule_entry = in.rule_entry();
  return out;
}

std::vector<Prefix> decode_prefixes(const Scope& at, const char* field,
                                    const google::protobuf::RepeatedPtrField<v1::Prefix>& in) {
  std::vector<Prefix> out;
  const auto count = static_cast<std::size_t>(in.size());
  if (!at.fits(count, field, kMaxPrefixes)) return out;
  out.reserve(count);
  for (const v1::Prefix& prefix : in) {
    out.push_back(Scope(at, field, out.size()).prefix(prefix.base(), prefix.length()));
    if (at.refused()) break;
  }
  return out;
}

}  // namespace sluice::wire
