// app/client_labels.h - names and hardware addresses beside what is shown of clients.
//
// Thread: home.
#pragma once

#include <span>
#include <vector>

#include "controlplane/clients/client_names.h"
#include "controlplane/manage/reports.h"

namespace sluice::control_plane {

/// One for each, in the same order.
[[nodiscard]] std::vector<manage::ClientLabel> labels_of(clients::ClientNames& names,
                                                         std::span<const contract::FlowInfo> flows);
/// Rows by client.
[[nodiscard]] std::vector<manage::ClientLabel> labels_of(clients::ClientNames& names,
                                                         std::span<const stats::Row> rows);

}  // namespace sluice::control_plane
