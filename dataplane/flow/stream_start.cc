#include "dataplane/flow/stream_start.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/stream.h"

namespace sluice::flow {
namespace {

/// There is nobody any more to decide for.
bool is_gone(Errc code) noexcept {
  return code != Errc::timeout && code != Errc::closed && code != Errc::no_room;
}

}  // namespace

Task<Result<Spoken>> StreamStart::listen(Until until) {
  if (welcome_ != nullptr) {
    welcomed_ = true;
    const Status sent = co_await welcome_->send();
    if (!sent) co_return fail(sent.error());
  }
  Until by = until.earlier(engine().worker().after(kSniffFirstByte));
  bool silent = read_.empty();
  if (!silent) by = until.earlier(engine().worker().after(kSniffBudget));
  sniff::Answer answer = sniff::sniff_stream({});
  for (;;) {
    if (read_.size() >= answer.wants) {
      answer = sniff::sniff_stream(engine().sniffing().in_one_piece(read_));
      if (answer.verdict != sniff::Verdict::needs_more || read_.size() >= sniff::kMaxStream) break;
    }
    SliceQueue more;
    const Status came = co_await transport::fill(client_, more, by);
    if (!came && is_gone(came.error().code)) co_return fail(came.error());
    if (came ? !take(std::move(more)) : came.error().code == Errc::no_room) {
      could_not_listen();
      break;
    }
    if (!came) break;
    if (std::exchange(silent, false)) by = until.earlier(engine().worker().after(kSniffBudget));
  }
  co_return spoken(answer);
}

/// A client that sends a byte at a time must not hold a block for each.
Status StreamStart::take(SliceQueue more) noexcept {
  const ByteView bytes = more.front();
  const bool small = bytes.size() == more.size() && bytes.size() < kSniffSmall;
  if (read_.empty() || !small) {
    read_.append(std::move(more));
    return {};
  }
  const Status copied = read_.copy_in(client_.pool(), bytes);
  if (!copied) read_.append(std::move(more));
  return copied;
}

void StreamStart::give_back() noexcept {
  if (!read_.empty()) client_.unread(std::move(read_));
}

}  // namespace sluice::flow
