// helper/process_server.h - the life of sluice-proc: rounds of questions, until end of file.
//
//   wait for a question ─> take what else is there ─> one walk through /proc ─> an answer to each
//
// Thread: one.
#pragma once

#include "dataplane/helper/process_finder.h"
#include "proto/common/result.h"

namespace sluice::proc {

/// Serves `peer` (SOCK_SEQPACKET) until end of file or a frame that is not a question.
/// Errors: malformed, unsupported, truncated (the peer is broken), system.
[[nodiscard]] Status serve(int peer, ProcessFinder& finder);

}  // namespace sluice::proc
