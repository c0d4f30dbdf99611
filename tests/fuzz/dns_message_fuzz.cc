// Fuzz: DNS messages, as a query from a client and as an answer from an upstream. What is accepted
// must come out of our own writers as a message that is read back with the same meaning.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/message/answer.h"
#include "controlplane/dns/message/reply.h"

namespace {

using namespace sluice;
using namespace sluice::dns;

void check(bool truth) {
  if (!truth) std::abort();
}

/// Records of a message, or -1 when it does not parse.
int count_records(ByteView message) {
  const auto header = decode_header(message);
  if (!header) return -1;
  std::size_t at = kHeaderSize;
  if (header->questions == 1 && !read_question(message, at)) return -1;
  RecordWalker records(message, *header, at);
  Record record;
  for (int count = 0;; ++count) {
    const auto more = records.next(record);
    if (!more) return -1;
    if (!*more) return count;
  }
}

void as_query(ByteView message) {
  Query query;
  const Verdict verdict = read_query(message, query);
  std::vector<std::byte> out(kMaxMessage);
  if (verdict != Verdict::serve) {
    const std::size_t size = write_verdict(query, verdict, out);
    check((size == 0) == (verdict == Verdict::drop));
    if (size != 0) check(count_records(ByteView(out).first(size)) == (query.has_edns ? 1 : 0));
    return;
  }
  const std::size_t size = write_query(query, query.has_edns, out);
  Query again;
  check(read_query(ByteView(out).first(size), again) == Verdict::serve);
  check(again.question == query.question && again.id == query.id);
  if (const auto normal = query.question.name.to_normal())
    check(*WireName::from_text(normal->view()) == query.question.name);
}

void as_answer(ByteView message) {
  std::size_t at = kHeaderSize;
  if (message.size() < kHeaderSize) return;
  const auto question = read_question(message, at);
  if (!question) return;
  const auto header = decode_header(message);
  (void)answers_query(message, header->id, *question);
  const auto received = decode_answer(message, *question);
  if (!received) return;
  Query query;
  query.has_question = true;
  query.question = *question;
  query.has_edns = true;
  std::vector<std::byte> out(kMaxMessage);
  const auto& counts = received->answer.counts;
  const std::size_t whole = write_reply(query, received->answer, {}, kMaxMessage, out);
  check(count_records(ByteView(out).first(whole)) == counts[0] + counts[1] + counts[2] + 1);
  const auto back = decode_answer(ByteView(out).first(whole), *question);
  check(back && back->answer.counts == counts && back->answer.ttl_s == received->answer.ttl_s);
  check(addresses_of(back->answer) == addresses_of(received->answer));
  const std::size_t cut = write_reply(query, received->answer, {.age_s = 1}, kPlainUdpSize, out);
  check(cut <= kPlainUdpSize && count_records(ByteView(out).first(cut)) >= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView message = std::as_bytes(std::span(data, size));
  as_query(message);
  as_answer(message);
  return 0;
}
