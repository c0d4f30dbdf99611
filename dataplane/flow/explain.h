// flow/explain.h - which rule would decide a flow that there is not.
#pragma once

#include "dataplane/flow/engine.h"
#include "proto/contract/explain.h"
#include "proto/runtime/loop/task.h"

namespace sluice::flow {

/// Explains the decision for a request, on this worker.
Task<contract::Explanation> explain(Engine& engine, contract::ExplainQuery query);

}  // namespace sluice::flow
