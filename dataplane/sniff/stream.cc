#include "dataplane/sniff/stream.h"

#include <algorithm>
#include <array>

#include "dataplane/sniff/bittorrent.h"
#include "dataplane/sniff/h2c.h"
#include "dataplane/sniff/http1.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/tls.h"

namespace sluice::sniff {

Answer sniff_stream(ByteView start) noexcept {
  start = start.first(std::min(start.size(), kMaxStream));
  static constexpr std::array kDecoders{sniff_tls, sniff_http1, sniff_h2c, sniff_bittorrent};
  Answer more;
  for (const auto decode : kDecoders) {
    Answer answer = decode(start);
    if (answer.verdict == Verdict::found) return answer;
    if (answer.verdict == Verdict::nothing) continue;
    if (more.verdict == Verdict::needs_more) {  // the start is short and fits several
      answer.wants = std::min(answer.wants, more.wants);
      answer.enough = std::max(answer.enough, more.enough);
    }
    more = answer;
  }
  return more;
}

}  // namespace sluice::sniff
