#include "dataplane/helper/process_commands.h"

namespace sluice::proc {
namespace {

void put_head(std::uint32_t id, Writer& out) {
  out.u8(kVersion);
  out.u8(static_cast<std::uint8_t>(Command::find));
  out.u32be(id);
}

/// Errors: unsupported. A short head shows in `in`.
Status take_head(Reader& in, std::uint32_t& id) {
  const std::uint8_t version = in.u8();
  const std::uint8_t command = in.u8();
  id = in.u32be();
  if (in.short_read()) return {};
  if (version != kVersion || command != static_cast<std::uint8_t>(Command::find))
    return fail(Errc::unsupported);
  return {};
}

/// Found with a path, or an errno without one.
bool makes_sense(const Answer& answer) noexcept {
  if (answer.error != 0) return answer.pid == 0 && answer.path.empty();
  return answer.pid > 0 && answer.path.starts_with('/') && answer.path.size() <= kMaxPath_bytes &&
         answer.path.find('\0') == std::string::npos;
}

}  // namespace

void encode_question(const Question& question, Writer& out) {
  put_head(question.id, out);
  out.u32be(question.inode);
  out.u16be(static_cast<std::uint16_t>(question.budget.count));
}

Result<Question> decode_question(ByteView frame) {
  Reader in{frame};
  Question question;
  if (Status head = take_head(in, question.id); !head) return fail(head.error());
  question.inode = in.u32be();
  question.budget = Millis{in.u16be()};
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0 || question.inode == 0 || question.budget > kMaxBudget)
    return fail(Errc::malformed);
  return question;
}

void encode_answer(const Answer& answer, Writer& out) {
  put_head(answer.id, out);
  out.u32be(static_cast<std::uint32_t>(answer.error));
  out.u32be(static_cast<std::uint32_t>(answer.pid));
  out.u16be(static_cast<std::uint16_t>(answer.path.size()));
  out.text(answer.path);
}

Result<Answer> decode_answer(ByteView frame) {
  Reader in{frame};
  Answer answer;
  if (Status head = take_head(in, answer.id); !head) return fail(head.error());
  answer.error = static_cast<std::int32_t>(in.u32be());
  answer.pid = static_cast<std::int32_t>(in.u32be());
  answer.path = as_text(in.take(in.u16be()));
  if (in.short_read()) return fail(Errc::truncated);
  if (in.left() != 0 || !makes_sense(answer)) return fail(Errc::malformed);
  return answer;
}

}  // namespace sluice::proc
