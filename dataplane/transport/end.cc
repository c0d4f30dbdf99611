#include "dataplane/transport/end.h"

#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::transport {

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
  co_return into.pull_up(count);
}

Task<Status> send(End& end, SliceQueue bytes, Until until) {
  Status status = end.write(bytes);
  while (status && end.queued() != 0) {
    if (!end.writable()) {
      const Status ready = co_await end.wait_writable(until);
      if (!ready) co_return fail(ready.error());
    }
    status = end.flush();
  }
  co_return status;
}

Task<Status> send(End& end, ByteView bytes, Until until) {
  SliceQueue queue;
  const Status copied = queue.copy_in(end.pool(), bytes, end.headroom());
  if (!copied) co_return fail(copied.error());
  Task<Status> sending = send(end, std::move(queue), until);
  const Status sent = co_await sending;
  co_return sent;
}

}  // namespace sluice::transport
