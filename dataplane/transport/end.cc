#include "dataplane/transport/end.h"

#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::transport {

Task<Status> wait_for_slices(Loop& loop, Until until) {
  if (loop.now() >= until.deadline) co_return fail(Errc::no_room);
  const Status slept = co_await sleep_until(loop, until.earlier(loop.now() + kPoolRetry));
  co_return slept;
}

Task<Status> fill(End& end, SliceQueue& into, Until until) {
  unsigned silent = 0;
  for (;;) {
    const Result<std::size_t> size = end.read(into, kReadBudget);
    if (size && *size != 0) co_return Status{};
    if (size && ++silent < kMaxSilentReads) continue;
    if (size) {
      // A peer that only sends a layer's own bytes must not hold the worker.
      silent = 0;
      const Moment next = end.loop().refresh_now() + 1_ms;
      if (next >= until.deadline) co_return fail(Errc::timeout);
      const Status slept = co_await sleep_until(end.loop(), until.earlier(next));
      if (!slept) co_return fail(slept.error());
      continue;
    }
    if (size.error().code == Errc::no_room) {
      const Status rested = co_await wait_for_slices(end.loop(), until);
      if (!rested) co_return rested;
      continue;
    }
    if (size.error().code != Errc::again) co_return fail(size.error());
    const Status ready = co_await end.wait_readable(until);
    if (!ready) co_return fail(ready.error());
  }
}

Task<Result<ByteSpan>> fill_to(End& end, SliceQueue& into, std::size_t count, Until until) {
  while (into.size() < count) {
    const Status more = co_await fill(end, into, until);
    if (!more) co_return fail(more.error());
  }
  for (;;) {
    const Result<ByteSpan> bytes = into.pull_up(count);
    if (bytes || bytes.error().code != Errc::no_room) co_return bytes;
    const Status rested = co_await wait_for_slices(end.loop(), until);
    if (!rested) co_return fail(rested.error());
  }
}

Task<Status> send(End& end, SliceQueue bytes, Until until) {
  Status status = end.write(bytes);
  for (;;) {
    if (!status && status.error().code == Errc::no_room) {
      const Status rested = co_await wait_for_slices(end.loop(), until);
      if (!rested) co_return rested;
      status = end.write(bytes);  // what is left of them
      continue;
    }
    if (!status || end.queued() == 0) co_return status;
    if (!end.writable()) {
      const Status ready = co_await end.wait_writable(until);
      if (!ready) co_return ready;
    }
    status = end.flush();
  }
}

Task<Status> send(End& end, ByteView bytes, Until until) {
  SliceQueue queue;
  while (!queue.copy_in(end.pool(), bytes, end.headroom())) {
    // Two that sit on half of what they need would wait for each other.
    queue.clear();
    const Status rested = co_await wait_for_slices(end.loop(), until);
    if (!rested) co_return rested;
  }
  Task<Status> sending = send(end, std::move(queue), until);
  const Status sent = co_await sending;
  co_return sent;
}

}  // namespace sluice::transport
