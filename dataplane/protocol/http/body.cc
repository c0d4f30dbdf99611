#include "dataplane/protocol/http/body.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "proto/common/text.h"

namespace sluice::http {
namespace {

constexpr std::uint8_t kMaxChunkDigits = 15;
constexpr std::size_t kMaxChunkHead = 18;  // 16 digits and CRLF
constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

struct Framing {
  bool chunked = false;
  bool other_coding = false;
  bool chunked_last = true;
  bool has_length = false;
  std::uint64_t length = 0;
};

/// All Content-Length and Transfer-Encoding fields together. Errors: malformed.
Result<Framing> read_framing(Fields fields) noexcept {
  Framing out;
  while (const auto field = fields.next()) {
    if (iequals(field->name, "Transfer-Encoding")) {
      List codings(field->value);
      while (const auto coding = codings.next()) {
        out.chunked_last = iequals(*coding, "chunked");
        if (out.chunked && out.chunked_last) return fail(Errc::malformed);
        out.chunked = out.chunked || out.chunked_last;
        out.other_coding = out.other_coding || !out.chunked_last;
      }
    } else if (iequals(field->name, "Content-Length")) {
      const auto length = parse_number(field->value, INT64_MAX);
      if (!length || (out.has_length && out.length != *length)) return fail(Errc::malformed);
      out.has_length = true;
      out.length = *length;
    }
  }
  return out;
}

}  // namespace

Result<BodyShape> request_body(const RequestHead& head) noexcept {
  const auto framing = read_framing(head.fields);
  if (!framing) return fail(framing.error());
  if (framing->chunked || framing->other_coding) {
    if (!framing->chunked || !framing->chunked_last || head.minor == 0)
      return fail(Errc::malformed);
    if (framing->other_coding) return fail(Errc::unsupported);
    return BodyShape{BodyKind::chunked, 0};
  }
  if (!framing->has_length || framing->length == 0) return BodyShape{};
  return BodyShape{BodyKind::length, framing->length};
}

Result<BodyShape> response_body(const ResponseHead& head, std::string_view method) noexcept {
  const auto framing = read_framing(head.fields);
  if (!framing) return fail(framing.error());
  if (method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304)
    return BodyShape{};
  if (framing->other_coding) return fail(Errc::unsupported);
  if (framing->chunked) return BodyShape{BodyKind::chunked, 0};
  if (framing->has_length)
    return framing->length == 0 ? BodyShape{} : BodyShape{BodyKind::length, framing->length};
  return BodyShape{BodyKind::until_close, 0};
}

BodyReader::BodyReader(BodyShape shape) noexcept {
  switch (shape.kind) {
    case BodyKind::none:
      break;
    case BodyKind::length:
      state_ = State::data;
      left_ = shape.length;
      break;
    case BodyKind::chunked:
      state_ = State::size;
      chunked_ = true;
      break;
    case BodyKind::until_close:
      state_ = State::raw;
      break;
  }
}

Status BodyReader::end_of_stream() noexcept {
  if (state_ == State::raw) state_ = State::done;
  return done() ? Status{} : fail(Errc::truncated);
}

Status BodyReader::take(SliceQueue& in, SliceQueue& payload, SlicePool& pool) noexcept {
  if (state_ == State::raw) payload.append(std::move(in));
  while (!in.empty() && !done()) {
    const Status moved = state_ == State::data ? move_payload(in, payload, pool) : take_framing(in);
    if (!moved) return moved;
  }
  return {};
}

Status BodyReader::move_payload(SliceQueue& in, SliceQueue& payload, SlicePool& pool) noexcept {
  const std::size_t here = in.front().size();
  if (here <= left_) {
    payload.push_back(in.pop_front());
    left_ -= here;
  } else {
    const auto count = static_cast<std::size_t>(left_);
    // copy_in may stop halfway: what it took is consumed, the rest comes with the next call.
    const std::size_t before = payload.size();
    const Status copied = payload.copy_in(pool, in.front().first(count));
    const std::size_t done = payload.size() - before;
    in.consume(done);
    left_ -= done;
    if (!copied) return copied;
  }
  if (left_ == 0) state_ = chunked_ ? State::data_cr : State::done;
  return {};
}

Status BodyReader::take_framing(SliceQueue& in) noexcept {
  const std::string_view text = as_text(in.front());
  std::size_t used = 0;
  Status status;
  while (status && used < text.size() && state_ != State::data && !done())
    status = step(text[used++]);
  in.consume(used);
  return status;
}

Status BodyReader::step(char c) noexcept {
  switch (state_) {
    case State::size:
    case State::extension:
    case State::size_lf:
      return step_size(c);
    case State::data_cr:
      state_ = State::data_lf;
      return c == '\r' ? Status{} : fail(Errc::malformed);
    case State::data_lf:
      state_ = State::size;
      return c == '\n' ? Status{} : fail(Errc::malformed);
    default:
      return step_trailer(c);
  }
}

/// hex digits [; extension] CRLF
Status BodyReader::step_size(char c) noexcept {
  if (++line_ > kMaxChunkLine) return fail(Errc::too_large);
  if (state_ == State::size_lf) {
    if (c != '\n') return fail(Errc::malformed);
    state_ = left_ == 0 ? State::trailer_start : State::data;
    digits_ = 0;
    line_ = 0;
    return {};
  }
  if (c == '\r') {
    state_ = State::size_lf;
    return digits_ != 0 ? Status{} : fail(Errc::malformed);
  }
  if (state_ == State::extension) return c == '\n' ? Status(fail(Errc::malformed)) : Status{};
  const char lower = to_lower(c);
  const bool decimal = c >= '0' && c <= '9';
  if (decimal || (lower >= 'a' && lower <= 'f')) {
    if (++digits_ > kMaxChunkDigits) return fail(Errc::too_large);
    left_ = left_ * 16 + static_cast<std::uint64_t>(decimal ? c - '0' : lower - 'a' + 10);
    return {};
  }
  if (digits_ == 0 || (c != ';' && c != ' ' && c != '\t')) return fail(Errc::malformed);
  state_ = State::extension;
  return {};
}

/// Lines until an empty one; their content is dropped.
Status BodyReader::step_trailer(char c) noexcept {
  if (++line_ > kMaxTrailers) return fail(Errc::too_large);
  const bool line_end = c == '\r';
  switch (state_) {
    case State::trailer_start:
      state_ = line_end ? State::end_lf : State::trailer;
      return c == '\n' ? Status(fail(Errc::malformed)) : Status{};
    case State::trailer:
      if (line_end) state_ = State::trailer_lf;
      return c == '\n' ? Status(fail(Errc::malformed)) : Status{};
    case State::trailer_lf:
      state_ = State::trailer_start;
      break;
    default:
      state_ = State::done;
      break;
  }
  return c == '\n' ? Status{} : fail(Errc::malformed);
}

Status BodyWriter::put(SliceQueue& payload, SliceQueue& out, SlicePool& pool) noexcept {
  if (!chunked_) {
    out.append(std::move(payload));
    return {};
  }
  while (!payload.empty()) {
    std::array<char, kMaxChunkHead> text;
    const std::size_t size = payload.front().size();
    char* end = std::to_chars(text.data(), text.data() + text.size() - kCrlf.size(), size, 16).ptr;
    end = std::ranges::copy(kCrlf, end).out;
    const std::string_view head(text.data(), static_cast<std::size_t>(end - text.data()));
    Slice slice = payload.pop_front();
    if (slice.headroom() < head.size() || slice.tailroom() < kCrlf.size()) {
      // Rare: a slice without room around it. Its bytes move to a fresh one.
      auto fresh = Slice::make(pool, kHeadroom);
      if (!fresh) {
        payload.push_front(std::move(slice));
        return fail(fresh.error());
      }
      const std::size_t count = std::min(slice.size(), fresh->tailroom() - kTailroom);
      fresh->append(slice.data().first(count));
      slice.drop_front(count);
      payload.push_front(std::move(slice));
      payload.push_front(std::move(*fresh));
      continue;
    }
    std::memcpy(slice.push(head.size()).data(), head.data(), head.size());
    slice.append(as_byte_view(kCrlf));
    out.push_back(std::move(slice));
  }
  return {};
}

Status BodyWriter::finish(SliceQueue& out, SlicePool& pool) noexcept {
  if (!chunked_) return {};
  auto slice = Slice::make(pool, kHeadroom);
  if (!slice) return fail(slice.error());
  slice->append(as_byte_view(kLastChunk));
  out.push_back(std::move(*slice));
  chunked_ = false;
  return {};
}

}  // namespace sluice::http
