// The calls about what was carried and what memory it takes.
#include <memory>
#include <utility>

#include "controlplane/app/client_labels.h"
#include "controlplane/app/plane_fault.h"
#include "controlplane/app/service.h"
#include "proto/common/error_text.h"

namespace sluice::control_plane {

using manage::fault;
using manage::FaultKind;
using manage::Reply;

void AppService::statistics(stats::Query query, Reply<manage::StatsReport> reply) {
  // Asked on the writer's thread, behind what is being stored; answered at home.
  at_home([this, query, answer = std::make_shared<Reply<manage::StatsReport>>(std::move(reply))] {
    auto done = parts_.plane.at_home<Result<stats::Report>>(
        [this, query, answer](Result<stats::Report> report) {
          if (!report)
            return (*answer)(fault(FaultKind::refused,
                                   "no statistics can be read: " + describe(report.error())));
          manage::StatsReport out{std::move(*report), {}};
          if (query.by == stats::By::client)
            out.clients = labels_of(parts_.clients, std::span<const stats::Row>(out.carried.rows));
          (*answer)(std::move(out));
        });
    if (!parts_.stats.read(query, done))
      (*answer)(
          fault(FaultKind::unavailable, "statistics are being stored; try again in a moment"));
  });
}

void AppService::memory(Reply<manage::MemoryReport> reply) {
  at_home([this, answer = std::make_shared<Reply<manage::MemoryReport>>(std::move(reply))] {
    PlaneLink& plane = parts_.plane;
    auto done = [this, answer](Result<contract::MemoryReport> dataplane) {
      manage::MemoryReport out;
      if (dataplane) out.dataplane = std::move(*dataplane);
      out.controlplane = parts_.memory();
      (*answer)(std::move(out));
    };
    if (plane.client() == nullptr) return done(fail(Errc::unreachable));
    plane.client()->read_memory(plane.at_home<Result<contract::MemoryReport>>(std::move(done)));
  });
}

}  // namespace sluice::control_plane
