#include "controlplane/dns/message/answer.h"

#include <algorithm>
#include <cstring>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/message/edns.h"
#include "controlplane/dns/message/record_data.h"

namespace sluice::dns {
namespace {

constexpr std::uint16_t kSig = 24;    // RFC 2931: belongs to one hop
constexpr std::uint16_t kTsig = 250;  // RFC 8945: likewise
constexpr std::size_t kRecordHead = 10;
constexpr std::size_t kKnownNames = 64;  // a pointer's target is looked for among these
constexpr std::size_t kMaxPointer = 0x3fff;

std::uint32_t load_u32(ByteView at) noexcept {
  return Reader{at}.u32be();
}

}  // namespace

AnswerBuilder::AnswerBuilder(const Question& question)
    : question_(question), body_at_(kHeaderSize + wire_size(question)), least_ttl_s_(kMaxTtl_s) {
  for (std::size_t at = 0; at + 1 < question.name.size();) {
    known_.push_back(static_cast<std::uint16_t>(kHeaderSize + at));
    at += 1 + std::to_integer<std::size_t>(question.name.bytes()[at]);
  }
}

bool AnswerBuilder::tail_equals(std::size_t at, ByteView tail) const noexcept {
  // Known names stand in the question or in the body; a pointer ends the uncompressed part.
  const ByteView name = question_.name.bytes();
  std::size_t hops = 0;
  while (hops++ < 2 * kKnownNames) {
    const bool in_question = at < body_at_;
    const ByteView from = in_question ? name.subspan(at - kHeaderSize)
                                      : ByteView(answer_.body).subspan(at - body_at_);
    const auto length = std::to_integer<std::size_t>(from[0]);
    if (length >= 0xc0) {
      at = (length & 0x3f) << 8 | std::to_integer<std::size_t>(from[1]);
      continue;
    }
    if (std::to_integer<std::size_t>(tail[0]) != length) return false;
    if (length == 0) return true;
    for (std::size_t i = 1; i <= length; ++i) {
      const auto lower = [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b);
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
      };
      if (lower(from[i]) != lower(tail[i])) return false;
    }
    at += 1 + length;
    tail = tail.subspan(1 + length);
  }
  return false;
}

void AnswerBuilder::put_owner(const WireName& owner) {
  std::vector<std::byte>& body = answer_.body;
  ByteView rest = owner.bytes();
  while (rest[0] != std::byte{0}) {
    const auto hit =
        std::ranges::find_if(known_, [&](std::uint16_t at) { return tail_equals(at, rest); });
    if (hit != known_.end()) {
      body.push_back(static_cast<std::byte>(0xc0 | *hit >> 8));
      body.push_back(static_cast<std::byte>(*hit & 0xff));
      return;
    }
    const std::size_t take = 1 + std::to_integer<std::size_t>(rest[0]);
    body.insert(body.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(take));
    rest = rest.subspan(take);
  }
  body.push_back(std::byte{0});
}

void AnswerBuilder::remember_labels(std::size_t at, std::size_t end) {
  const ByteView body(answer_.body);
  while (at < end && known_.size() < kKnownNames && body_at_ + at <= kMaxPointer) {
    const auto length = std::to_integer<std::size_t>(body[at]);
    if (length == 0 || length >= 0xc0) return;
    known_.push_back(static_cast<std::uint16_t>(body_at_ + at));
    at += 1 + length;
  }
}

void AnswerBuilder::add(Section section, const WireName& owner, std::uint16_t type,
                        std::uint32_t ttl_s, ByteView data, std::uint16_t klass) {
  std::vector<std::byte>& body = answer_.body;
  const std::size_t worst = owner.size() + kRecordHead + data.size() + kEdnsSize;
  if (body_at_ + body.size() + worst > kMaxMessage) return;
  const std::size_t owner_at = body.size();
  put_owner(owner);
  remember_labels(owner_at, body.size());
  const std::size_t head_at = body.size();
  body.resize(head_at + kRecordHead + data.size());
  Writer w{std::span(body).subspan(head_at)};
  w.u16be(type);
  w.u16be(klass);
  w.u32be(ttl_s);
  w.u16be(static_cast<std::uint16_t>(data.size()));
  w.bytes(data);
  ++answer_.counts[static_cast<std::size_t>(section)];
  least_ttl_s_ = std::min(least_ttl_s_, ttl_s);
  if (section == Section::authority && type == type::kSoa && data.size() >= 22)
    negative_ttl_s_ = std::min(ttl_s, load_u32(data.last(4)));
  if (negative_ttl_s_ != 0) least_ttl_s_ = std::min(least_ttl_s_, negative_ttl_s_);
}

void AnswerBuilder::add_address(const WireName& owner, const IpAddress& address,
                                std::uint32_t ttl_s) {
  add(Section::answer, owner, address.is_v4() ? type::kA : type::kAaaa, ttl_s, address.bytes());
}

void AnswerBuilder::add_name(const WireName& owner, std::uint16_t type, const WireName& target,
                             std::uint32_t ttl_s) {
  add(Section::answer, owner, type, ttl_s, target.bytes());
}

Status AnswerBuilder::add_received(ByteView message, const Record& record) {
  if (record.type == type::kOpt || record.type == kTsig || record.type == kSig) return {};
  auto data = expand_record_data(message, record);
  if (!data) return fail(data.error());
  add(record.section, record.owner, record.type, record.ttl, *data, record.klass);
  return {};
}

Status AnswerBuilder::add_all(const Question& other_question, const Answer& other) {
  // The other answer as the message it would be: pointers in it count from the header.
  std::vector<std::byte> message(kHeaderSize + wire_size(other_question));
  Writer w{std::span(message)};
  Header header;
  header.answers = other.counts[0];
  header.authorities = other.counts[1];
  header.additionals = other.counts[2];
  encode_header(w, header);
  write_question(w, other_question);
  message.insert(message.end(), other.body.begin(), other.body.end());
  RecordWalker records(message, header, kHeaderSize + wire_size(other_question));
  Record record;
  for (;;) {
    const auto more = records.next(record);
    if (!more) return fail(more.error());
    if (!*more) return {};
    if (const Status added = add_received(message, record); !added) return added;
  }
}

Answer AnswerBuilder::finish() && {
  const bool positive = answer_.rcode == rcode::kNoError && answer_.counts[0] != 0;
  if (positive) {
    answer_.ttl_s = least_ttl_s_;
  } else if (answer_.rcode == rcode::kNoError || answer_.rcode == rcode::kNameError) {
    answer_.ttl_s = std::min({negative_ttl_s_, least_ttl_s_, kMaxNegativeTtl_s});
  }
  answer_.body.shrink_to_fit();
  return std::move(answer_);
}

bool AnswerWalker::next(Entry& out) noexcept {
  while (section_ < 3 && done_ == answer_.counts[section_]) {
    ++section_;
    done_ = 0;
  }
  if (section_ == 3) return false;
  const ByteView body(answer_.body);
  out.at = at_;
  while (true) {
    const auto length = std::to_integer<std::size_t>(body[at_]);
    at_ += length >= 0xc0 ? 2 : 1 + length;
    if (length == 0 || length >= 0xc0) break;
  }
  Reader in{body.subspan(at_)};
  out.section = static_cast<Section>(section_);
  out.type = in.u16be();
  in.skip(2);
  out.ttl_at = at_ + 4;
  in.skip(4);
  out.data = in.take(in.u16be());
  at_ += kRecordHead + out.data.size();
  out.end = at_;
  ++done_;
  return true;
}

std::vector<IpAddress> addresses_of(const Answer& answer) {
  std::vector<IpAddress> out;
  AnswerWalker records(answer);
  AnswerWalker::Entry entry;
  while (records.next(entry)) {
    if (entry.section != Section::answer) break;
    const bool a = entry.type == type::kA && entry.data.size() == 4;
    const bool aaaa = entry.type == type::kAaaa && entry.data.size() == 16;
    if (a || aaaa) out.push_back(IpAddress::from_bytes(entry.data));
  }
  return out;
}

bool answers_query(ByteView message, std::uint16_t id, const Question& question) noexcept {
  const auto header = decode_header(message);
  if (!header || !header->response || header->opcode != 0 || header->id != id ||
      header->questions != 1)
    return false;
  std::size_t at = kHeaderSize;
  const auto asked = read_question(message, at);
  return asked && *asked == question;
}

Result<Received> decode_answer(ByteView message, const Question& question) {
  const auto header = decode_header(message);
  if (!header) return fail(header.error());
  std::size_t at = kHeaderSize;
  if (const auto asked = read_question(message, at); !asked) return fail(asked.error());
  Received out;
  out.truncated = header->truncated;
  out.full_rcode = header->rcode;
  AnswerBuilder builder(question);
  builder.set_rcode(header->rcode);
  RecordWalker records(message, *header, at);
  Record record;
  for (;;) {
    const auto more = records.next(record);
    if (!more) return fail(more.error());
    if (!*more) break;
    if (record.type == type::kOpt) {
      out.had_edns = true;
      out.full_rcode |= static_cast<std::uint16_t>(edns_from(record).upper_rcode << 4);
    }
    if (const Status added = builder.add_received(message, record); !added)
      return fail(added.error());
  }
  out.answer = std::move(builder).finish();
  return out;
}

}  // namespace sluice::dns
