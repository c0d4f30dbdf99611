#include "dataplane/flow/reply_sockets.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

Result<int> ReplySockets::get(const Endpoint& source) {
  if (!entries_.empty() && entries_.front().source == source) return entries_.front().fd.get();
  if (const auto found = by_source_.find(source); found != by_source_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().fd.get();
  }
  auto fd = bind_transparent_reply(source, mark_);
  if (!fd) return fail(fd.error());
  if (entries_.size() >= kReplySockets) {
    by_source_.erase(entries_.back().source);
    entries_.pop_back();
  }
  entries_.push_front({source, std::move(*fd)});
  by_source_.emplace(source, entries_.begin());
  return entries_.front().fd.get();
}

}  // namespace sluice::flow
