// flow/step.h - a client's life as steps that hand over to each other.
//
//   serve_client ─> serve_proxy ─> serve_socks ─> serve_asked ─> run_relay ─> (nothing)
//
// A step that is done returns the next one instead of awaiting it, and moves into it what goes on
// living. So its own frame is gone while what it started lasts, which may be days: a held flow
// costs the frame of its last step, not those of all steps before it.
#pragma once

#include <utility>

#include "proto/runtime/loop/task.h"

namespace sluice::flow {

/// What is left to do; an invalid task when that is nothing.
struct Step {
  Task<Step> next;
};

/// Runs step after step until there is none.
inline Task<void> run_steps(Task<Step> first) {
  Task<Step> running = std::move(first);
  while (running.valid()) {
    Step step = co_await running;
    running = std::move(step.next);
  }
}

}  // namespace sluice::flow
