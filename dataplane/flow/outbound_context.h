// flow/outbound_context.h - what an engine gives to dialling.
#pragma once

#include "dataplane/flow/engine.h"
#include "dataplane/outbound/dial.h"

namespace sluice::flow {

/// The snapshot must stay pinned for as long as the context is used.
[[nodiscard]] inline outbound::DialContext dial_context(Engine& engine,
                                                        const route::Snapshot& snapshot) noexcept {
  return {.worker = &engine.worker(),
          .names = &engine.names(),
          .keys = &engine.keys(),
          .manifest = &snapshot.manifest(),
          .own_mark = engine.own_mark()};
}

}  // namespace sluice::flow
