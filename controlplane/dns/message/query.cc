#include "controlplane/dns/message/query.h"

#include <algorithm>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/message/edns.h"

namespace sluice::dns {
namespace {

/// The OPT record among the additional ones; anything else there is ignored.
Verdict read_additional(ByteView message, const Header& header, std::size_t at, Query& out) {
  RecordWalker records(message, header, at);
  Record record;
  bool high_version = false;
  for (;;) {
    const auto more = records.next(record);
    if (!more) return Verdict::format_error;
    if (!*more) break;
    if (record.type != type::kOpt) continue;
    if (out.has_edns || !record.owner.is_root()) return Verdict::format_error;
    const Edns edns = edns_from(record);
    out.has_edns = true;
    out.dnssec_ok = edns.dnssec_ok;
    out.udp_size = std::max<std::uint16_t>(edns.udp_size, kPlainUdpSize);
    high_version = edns.version != 0;
  }
  return high_version ? Verdict::bad_version : Verdict::serve;
}

}  // namespace

Verdict read_query(ByteView message, Query& out) noexcept {
  out = {};
  const auto header = decode_header(message);
  if (!header || header->response) return Verdict::drop;
  out.id = header->id;
  out.opcode = header->opcode;
  out.recursion_desired = header->recursion_desired;
  out.checking_disabled = header->checking_disabled;
  if (header->opcode != 0) return Verdict::not_implemented;
  if (header->questions != 1 || header->answers != 0 || header->authorities != 0)
    return Verdict::format_error;
  std::size_t at = kHeaderSize;
  const auto question = read_question(message, at);
  if (!question) return Verdict::format_error;
  out.question = *question;
  out.has_question = true;
  const Verdict verdict = read_additional(message, *header, at, out);
  if (verdict != Verdict::serve) return verdict;
  if (question->type == 0 || question->type == type::kOpt) return Verdict::format_error;
  if (question->klass != kClassIn || question->type == type::kAxfr || question->type == type::kIxfr)
    return Verdict::refused;
  return Verdict::serve;
}

std::size_t reply_limit(const Query& query, Transport transport) noexcept {
  if (transport == Transport::tcp) return kMaxMessage;
  return std::min<std::size_t>(query.udp_size, kUdpReplySize);
}

std::size_t write_query(const Query& query, bool edns, ByteSpan out) noexcept {
  Writer w{out};
  Header header;
  header.id = query.id;
  header.recursion_desired = true;
  header.checking_disabled = query.checking_disabled;
  header.questions = 1;
  header.additionals = edns ? 1 : 0;
  encode_header(w, header);
  write_question(w, query.question);
  if (edns) write_edns(w, Edns{.udp_size = kUdpReplySize, .dnssec_ok = query.dnssec_ok});
  return w.size();
}

}  // namespace sluice::dns
