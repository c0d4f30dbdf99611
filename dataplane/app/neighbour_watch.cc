#include "dataplane/app/neighbour_watch.h"

#include <utility>

#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::app {

void NeighbourWatch::want(bool on) {
  if (on == wanted_) return;
  wanted_ = on;
  disarm();
  if (!on) {
    watch_.reset();
    source_.reset();
    book_ = {};
    news_ = false;
    publish_(nullptr);
    return;
  }
  const Status opened = open();
  if (opened) return publish();
  SLUICE_LOG(warning, "neighbours", "SRC-MAC rules do not match yet: %s",
             describe(opened.error()).c_str());
  home_.arm(*this, home_.now() + kRetry);
}

/// Listening begins before the dump, so that nothing falls between the two.
Status NeighbourWatch::open() {
  auto source = kernel::NeighbourSource::open();
  if (!source) return fail(source.error());
  std::vector<kernel::Neighbour> known;
  if (const Status read = source->dump(known); !read) return fail(read.error());
  auto copy = duplicate(source->fd());
  if (!copy) return fail(copy.error());
  auto watch = Watch::make(home_, std::move(*copy));
  if (!watch) return fail(watch.error());
  source_.emplace(std::move(*source));
  watch_ = std::move(*watch);
  watch_->set_sink(this);
  for (const kernel::Neighbour& neighbour : known) book_.learn(neighbour);
  return {};
}

void NeighbourWatch::read_news() noexcept {
  watch_->clear_readable();
  std::vector<kernel::Neighbour> heard;
  if (!source_->drain(heard)) {
    // Lost ones may be older than what was heard since: what the kernel knows now comes last.
    if (const Status read = source_->dump(heard); !read)
      SLUICE_LOG(warning, "neighbours", "some changes were lost: %s",
                 describe(read.error()).c_str());
  }
  learn(heard);
}

void NeighbourWatch::learn(const std::vector<kernel::Neighbour>& heard) noexcept {
  for (const kernel::Neighbour& neighbour : heard) news_ = book_.learn(neighbour) || news_;
  if (news_ && !armed()) publish();
}

void NeighbourWatch::publish() noexcept {
  news_ = false;
  publish_(book_.table());
  home_.arm(*this, home_.now() + kCalm);
}

void NeighbourWatch::fire() noexcept {
  if (source_) {
    if (news_) publish();
    return;
  }
  if (open()) return publish();
  home_.arm(*this, home_.now() + kRetry);
}

}  // namespace sluice::app
