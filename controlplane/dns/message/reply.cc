#include "controlplane/dns/message/reply.h"

#include <algorithm>
#include <cstring>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/message/edns.h"

namespace sluice::dns {
namespace {

Header reply_header(const Query& query, std::uint16_t code) noexcept {
  Header h;
  h.id = query.id;
  h.response = true;
  h.opcode = query.opcode;
  h.recursion_desired = query.recursion_desired;
  h.recursion_available = true;
  h.checking_disabled = query.checking_disabled;
  h.rcode = static_cast<std::uint8_t>(code & 0xf);
  h.questions = query.has_question ? 1 : 0;
  h.additionals = query.has_edns ? 1 : 0;
  return h;
}

void put_edns(Writer& out, const Query& query, std::uint16_t code) noexcept {
  if (!query.has_edns) return;
  write_edns(out, Edns{.udp_size = kUdpReplySize,
                       .upper_rcode = static_cast<std::uint8_t>(code >> 4),
                       .dnssec_ok = query.dnssec_ok});
}

struct Cut {
  std::size_t size = 0;  ///< bytes of the body that fit
  std::uint16_t counts[3] = {};
  bool truncated = false;
};

/// How much of the body fits into `room` bytes, in whole records.
Cut cut_body(const Answer& answer, std::size_t room) noexcept {
  Cut cut;
  AnswerWalker records(answer);
  AnswerWalker::Entry entry;
  while (records.next(entry)) {
    if (entry.end > room) {
      cut.truncated = entry.section != Section::additional;
      break;
    }
    cut.size = entry.end;
    ++cut.counts[static_cast<std::size_t>(entry.section)];
  }
  return cut;
}

void set_ttls(const Answer& answer, TtlPolicy ttl, std::size_t size, ByteSpan body) noexcept {
  AnswerWalker records(answer);
  AnswerWalker::Entry entry;
  while (records.next(entry) && entry.end <= size) {
    const ByteSpan field = body.subspan(entry.ttl_at, 4);
    const std::uint32_t stored = Reader{field}.u32be();
    const std::uint32_t left = stored > ttl.age_s ? stored - ttl.age_s : 0;
    Writer{field}.u32be(std::min(left, ttl.cap_s));
  }
}

}  // namespace

std::size_t write_reply(const Query& query, const Answer& answer, TtlPolicy ttl, std::size_t limit,
                        ByteSpan out) noexcept {
  Writer w{out};
  const std::size_t body_at = kHeaderSize + wire_size(query.question);
  const std::size_t fixed = body_at + (query.has_edns ? kEdnsSize : 0);
  const std::size_t most = std::min(limit, out.size());
  const Cut cut = cut_body(answer, most > fixed ? most - fixed : 0);
  Header h = reply_header(query, answer.rcode);
  h.truncated = cut.truncated;
  h.answers = cut.counts[0];
  h.authorities = cut.counts[1];
  h.additionals = static_cast<std::uint16_t>(h.additionals + cut.counts[2]);
  encode_header(w, h);
  write_question(w, query.question);
  w.bytes(ByteView(answer.body).first(cut.size));
  set_ttls(answer, ttl, cut.size, out.subspan(body_at, cut.size));
  put_edns(w, query, answer.rcode);
  return w.size();
}

std::size_t write_error(const Query& query, std::uint16_t code, ByteSpan out) noexcept {
  Writer w{out};
  encode_header(w, reply_header(query, code));
  if (query.has_question) write_question(w, query.question);
  put_edns(w, query, code);
  return w.size();
}

std::size_t write_verdict(const Query& query, Verdict verdict, ByteSpan out) noexcept {
  switch (verdict) {
    case Verdict::format_error:
      return write_error(query, rcode::kFormatError, out);
    case Verdict::not_implemented:
      return write_error(query, rcode::kNotImplemented, out);
    case Verdict::refused:
      return write_error(query, rcode::kRefused, out);
    case Verdict::bad_version:
      return write_error(query, rcode::kBadVersion, out);
    case Verdict::serve:
    case Verdict::drop:
      break;
  }
  return 0;
}

}  // namespace sluice::dns
