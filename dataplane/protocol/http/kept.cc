#include "dataplane/protocol/http/kept.h"

#include <algorithm>
#include <utility>

namespace sluice::http {

bool KeptUpstreams::usable(Entry& entry, Moment now) noexcept {
  if (entry.expiry <= now || !entry.upstream->reusable()) return false;
  SliceQueue unexpected;
  const auto size = entry.upstream->end().read(unexpected, 1);
  return !size && size.error().code == Errc::again;
}

void KeptUpstreams::sweep(Moment now) noexcept {
  std::erase_if(entries_, [now](Entry& entry) {
    if (usable(entry, now)) return false;
    entry.upstream->finish(Error{});
    return true;
  });
}

void KeptUpstreams::clear() noexcept {
  for (Entry& entry : entries_) entry.upstream->finish(Error{});
  entries_.clear();
}

std::unique_ptr<HttpUpstream> KeptUpstreams::take(const Destination& to, std::string_view user,
                                                  Moment now) {
  sweep(now);
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.to == to && entry.user == user; });
  if (found == entries_.end()) return nullptr;
  std::unique_ptr<HttpUpstream> upstream = std::move(found->upstream);
  entries_.erase(found);
  return upstream;
}

void KeptUpstreams::put(std::unique_ptr<HttpUpstream> upstream, Destination to, std::string user,
                        Moment now) {
  if (entries_.size() == kMaxKept) {
    entries_.front().upstream->finish(Error{});
    entries_.erase(entries_.begin());
  }
  entries_.push_back(
      Entry{std::move(upstream), std::move(to), std::move(user), now + kUpstreamIdle});
}

Moment KeptUpstreams::next_expiry() const noexcept {
  return entries_.empty() ? Moment::never() : entries_.front().expiry;
}

void KeptUpstreams::attach_to(Wake& wake) noexcept {
  for (Entry& entry : entries_) wake.attach(*entry.upstream);
}

}  // namespace sluice::http
