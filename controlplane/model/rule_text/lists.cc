#include "controlplane/model/rule_text/lists.h"

#include <algorithm>

#include "controlplane/model/bounds.h"
#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/words.h"

namespace sluice::model::rule_text {
namespace {

/// "0/8-15,46".
Outcome read_numbers(std::string_view text, std::uint64_t most, const char* what,
                     const char* remedy) {
  std::vector<NumberRange> out;
  for (std::string_view rest = text;;) {
    const std::size_t cut = rest.find_first_of("/,");
    const std::string_view item = trim(rest.substr(0, cut));
    const std::size_t dash = item.find('-');
    const auto first = parse_number(trim(item.substr(0, dash)), most);
    const auto last =
        dash == std::string_view::npos ? first : parse_number(trim(item.substr(dash + 1)), most);
    if (!first || !last || *first > *last)
      return wrong(quote(text) + " is not a list of " + what, remedy);
    out.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)});
    if (out.size() > kMaxItems) return too_many(kMaxItems, "ranges");
    if (cut == std::string_view::npos) return out;
    rest.remove_prefix(cut + 1);
  }
}

}  // namespace

std::unexpected<PayloadFault> too_many(std::size_t most, const char* what) {
  return wrong("more than " + std::to_string(most) + " " + what, "write another line for the rest");
}

Outcome read_ports(std::string_view text) {
  auto out = parse_ports(text, kMaxItems);
  if (out) return std::move(*out);
  if (out.error().code == Errc::too_large) return too_many(kMaxItems, "port ranges");
  return wrong(quote(text) + " is not a list of ports", "write for example 80/443/8000-8100");
}

Outcome read_dscp(std::string_view text) {
  return read_numbers(text, 63, "DSCP values", "write numbers from 0 to 63, for example 8/46");
}

Outcome read_user_ids(std::string_view text) {
  return read_numbers(text, UINT32_MAX, "user ids", "write for example 1000/2000-2999");
}

Outcome read_names(std::string_view text) {
  std::vector<std::string> out;
  const bool good = for_each_item(text, [&](std::string_view item) {
    if (item.empty() || out.size() > kMaxNames) return false;
    out.emplace_back(item);
    return true;
  });
  if (out.size() > kMaxNames) return too_many(kMaxNames, "names");
  if (!good) return wrong(quote(text) + " holds an empty name", "write for example a/b");
  return out;
}

Outcome read_protocols(std::string_view text) {
  std::vector<contract::Protocol> out;
  PayloadFault fault;
  const bool good = for_each_item(text, [&](std::string_view item) {
    const auto protocol = contract::find_protocol(item);
    if (!protocol)
      fault = {quote(item) + " is not a protocol that is told from first bytes",
               "write tls, http, quic, dtls, stun or bittorrent, several with /"};
    else if (std::ranges::find(out, *protocol) == out.end())
      out.push_back(*protocol);
    return protocol.has_value();
  });
  if (!good) return std::unexpected(std::move(fault));
  return out;
}

Outcome read_in_types(std::string_view text) {
  std::vector<contract::InboundType> out;
  PayloadFault fault;
  const bool good = for_each_item(text, [&](std::string_view item) {
    Nearest nearest(item);
    bool found = false;
    for (const keys::InType& row : keys::in_types()) {
      nearest.offer(row.name);
      if (!iequals(row.name, item)) continue;
      found = true;
      if (row.type && std::ranges::find(out, *row.type) == out.end()) out.push_back(*row.type);
    }
    if (!found) fault = {quote(item) + " is not an inbound type", nearest.remedy("correct it")};
    return found;
  });
  if (!good) return std::unexpected(std::move(fault));
  if (out.empty()) return std::monostate{};
  return out;
}

}  // namespace sluice::model::rule_text
