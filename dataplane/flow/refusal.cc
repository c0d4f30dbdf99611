#include "dataplane/flow/refusal.h"

namespace sluice::flow {

std::string refusal_of(Engine& engine, const Decision& decision) {
  const contract::Outbound& leaf = decision.snapshot->outbound(decision.route.leaf);
  if (decision.route.refused == route::Refused::not_built) {
    engine.unbuilt().refused(leaf, engine.worker().loop().now());
    return describe_unbuilt(leaf);
  }
  if (decision.route.refused != route::Refused::none)
    return std::string(route::describe(decision.route.refused));
  const bool rejects = leaf.kind == contract::OutboundKind::reject ||
                       leaf.kind == contract::OutboundKind::reject_drop;
  return rejects ? "refused by rule" : "";
}

}  // namespace sluice::flow
