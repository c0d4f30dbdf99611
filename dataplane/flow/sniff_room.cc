#include "dataplane/flow/sniff_room.h"

#include <algorithm>
#include <utility>

#include "dataplane/sniff/limits.h"

namespace sluice::flow {

sniff::InitialOpener* SniffRoom::opener() noexcept {
  if (opener_ == nullptr) {
    auto made = sniff::InitialOpener::make();
    if (made) opener_ = std::make_unique<sniff::InitialOpener>(std::move(*made));
  }
  return opener_.get();
}

ByteView SniffRoom::in_one_piece(SliceQueue& queue) {
  if (queue.empty()) return {};
  const std::size_t size = std::min(queue.size(), sniff::kMaxStream);
  const ByteView first = queue.front();
  if (first.size() >= size) return first.first(size);
  copy_.resize(size);
  return ByteView(copy_).first(queue.peek(std::span(copy_).first(size)));
}

}  // namespace sluice::flow
