#include "controlplane/dns/message/message.h"

namespace sluice::dns {
namespace {

// Flag bits of the second 16-bit word, RFC 1035 section 4.1.1 and RFC 4035 section 3.
constexpr std::uint16_t kQr = 0x8000, kAa = 0x0400, kTc = 0x0200, kRd = 0x0100, kRa = 0x0080,
                        kAd = 0x0020, kCd = 0x0010;

}  // namespace

Result<Header> decode_header(ByteView message) noexcept {
  Reader in{message};
  Header h;
  h.id = in.u16be();
  const std::uint16_t flags = in.u16be();
  h.response = (flags & kQr) != 0;
  h.opcode = static_cast<std::uint8_t>(flags >> 11 & 0xf);
  h.authoritative = (flags & kAa) != 0;
  h.truncated = (flags & kTc) != 0;
  h.recursion_desired = (flags & kRd) != 0;
  h.recursion_available = (flags & kRa) != 0;
  h.authentic = (flags & kAd) != 0;
  h.checking_disabled = (flags & kCd) != 0;
  h.rcode = static_cast<std::uint8_t>(flags & 0xf);
  h.questions = in.u16be();
  h.answers = in.u16be();
  h.authorities = in.u16be();
  h.additionals = in.u16be();
  if (in.short_read()) return fail(Errc::truncated);
  return h;
}

void encode_header(Writer& out, const Header& h) noexcept {
  unsigned flags = static_cast<unsigned>(h.opcode & 0xf) << 11 | (h.rcode & 0xfU);
  if (h.response) flags |= kQr;
  if (h.authoritative) flags |= kAa;
  if (h.truncated) flags |= kTc;
  if (h.recursion_desired) flags |= kRd;
  if (h.recursion_available) flags |= kRa;
  if (h.authentic) flags |= kAd;
  if (h.checking_disabled) flags |= kCd;
  out.u16be(h.id);
  out.u16be(static_cast<std::uint16_t>(flags));
  out.u16be(h.questions);
  out.u16be(h.answers);
  out.u16be(h.authorities);
  out.u16be(h.additionals);
}

Result<Question> read_question(ByteView message, std::size_t& at) noexcept {
  const auto name = read_name(message, at);
  if (!name) return fail(name.error());
  Reader in{message.subspan(at)};
  Question q;
  q.name = *name;
  q.type = in.u16be();
  q.klass = in.u16be();
  if (in.short_read()) return fail(Errc::truncated);
  at += 4;
  return q;
}

void write_question(Writer& out, const Question& question) noexcept {
  out.bytes(question.name.bytes());
  out.u16be(question.type);
  out.u16be(question.klass);
}

RecordWalker::RecordWalker(ByteView message, const Header& header, std::size_t at) noexcept
    : message_(message), at_(at), left_{header.answers, header.authorities, header.additionals} {}

Result<bool> RecordWalker::next(Record& out) noexcept {
  while (section_ < 3 && left_[section_] == 0) ++section_;
  if (section_ == 3) return false;
  --left_[section_];
  const auto owner = read_name(message_, at_);
  if (!owner) return fail(owner.error());
  Reader in{message_.subspan(at_)};
  out.section = static_cast<Section>(section_);
  out.owner = *owner;
  out.type = in.u16be();
  out.klass = in.u16be();
  const std::uint32_t ttl = in.u32be();
  out.ttl = out.type != type::kOpt && ttl > INT32_MAX ? 0 : ttl;
  const std::uint16_t size = in.u16be();
  out.data_at = at_ + in.position();
  out.data = in.take(size);
  if (in.short_read()) return fail(Errc::truncated);
  at_ = out.data_at + size;
  return true;
}

}  // namespace sluice::dns
