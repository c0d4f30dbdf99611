#include "dataplane/flow/datagram_start.h"

#include <memory>

#include "dataplane/flow/limits.h"
#include "dataplane/sniff/datagram.h"

namespace sluice::flow {

Task<Result<Spoken>> DatagramStart::listen(Until until) {
  sniff::InitialOpener* const opener = engine().sniffing().opener();
  if (opener == nullptr) {
    could_not_listen();
    co_return Spoken();
  }
  // 5 KiB, which the coroutine's frame must not hold.
  const auto sniffer = std::make_unique<sniff::DatagramSniffer>();
  const Until by = until.earlier(engine().worker().after(kSniffDatagrams));
  sniff::Answer answer = sniff::Answer::more(sniff::Protocol::none, 0, 0);
  for (std::size_t seen = 0; answer.verdict == sniff::Verdict::needs_more;) {
    if (seen < kept_.size()) {
      answer = sniffer->feed(*opener, kept_[seen++].data());
      continue;
    }
    if (seen >= kOpeningPackets) break;
    arrived_.reset();
    const Status came = co_await arrived_.wait(by);
    if (!came && came.error().code != Errc::timeout) co_return fail(came.error());
    if (!came) break;
  }
  co_return spoken(answer);
}

}  // namespace sluice::flow
