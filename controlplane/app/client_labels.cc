#include "controlplane/app/client_labels.h"

#include <utility>

#include "proto/common/clock.h"

namespace sluice::control_plane {
namespace {

manage::ClientLabel label_of(clients::ClientNames& names, const IpAddress& ip, Moment now) {
  clients::Client client = names.of(ip, now);
  return {std::move(client.name), std::move(client.mac)};
}

}  // namespace

std::vector<manage::ClientLabel> labels_of(clients::ClientNames& names,
                                           std::span<const contract::FlowInfo> flows) {
  const Moment now = monotonic_now();
  std::vector<manage::ClientLabel> out;
  out.reserve(flows.size());
  for (const contract::FlowInfo& flow : flows) out.push_back(label_of(names, flow.source.ip, now));
  return out;
}

std::vector<manage::ClientLabel> labels_of(clients::ClientNames& names,
                                           std::span<const stats::Row> rows) {
  const Moment now = monotonic_now();
  std::vector<manage::ClientLabel> out;
  out.reserve(rows.size());
  for (const stats::Row& row : rows) {
    const Result<IpAddress> ip = IpAddress::parse(row.key);
    out.push_back(ip ? label_of(names, *ip, now) : manage::ClientLabel{});
  }
  return out;
}

}  // namespace sluice::control_plane
