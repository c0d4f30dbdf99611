// push/gather.h - an answer that comes in several messages, put together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "controlplane/push/client.h"
#include "proto/rpc/client_call.h"

namespace sluice::push {

/// Starts `call`, whose stream is prepared, and ends with done(sum) or the error. `add` takes a
/// page into the sum; false: it cannot be what was sent. `error_of` reads a status. Thread: the
/// client's.
template <class Sum, class Page, class Add>
void gather(const std::shared_ptr<rpc::ClientReader<Page>>& call, Add add,
            Error (*error_of)(const grpc::Status&) noexcept, Done<Result<Sum>> done) {
  struct Gathered {
    Sum sum{};
    bool malformed = false;
  };
  auto all = std::make_shared<Gathered>();
  // The first completion is the start's; it brings no part yet.
  const auto step = std::make_shared<std::function<void(bool, bool)>>();
  *step = [weak = std::weak_ptr(call), all, add, error_of, done, step](bool ok, bool part) {
    const auto alive = weak.lock();
    if (ok && part && !all->malformed) all->malformed = !add(alive->part, all->sum);
    if (ok) {
      alive->read([step](bool more) { (*step)(more, true); });
      return;
    }
    alive->finish([weak, all, error_of, done, step] {
      const auto finished = weak.lock();
      if (!finished->status.ok())
        done(fail(error_of(finished->status)));
      else if (all->malformed)
        done(fail(Errc::malformed, Side::upstream));
      else
        done(std::move(all->sum));
      *step = nullptr;
    });
  };
  call->start([step](bool ok) { (*step)(ok, false); });
}

}  // namespace sluice::push
