// The text form of posix_zone.h.
#include <algorithm>

#include "controlplane/zoneinfo/limits.h"
#include "controlplane/zoneinfo/posix_zone.h"

namespace sluice::zoneinfo {
namespace {

using Change = PosixZone::Change;

constexpr std::uint32_t kMaxOffset_h = 24;
constexpr std::uint32_t kMaxTime_h = 167;  // a week less an hour, RFC 8536 section 3.3.1
constexpr std::size_t kMinName = 3;
constexpr std::uint32_t kLastMinute = 59;

// "EST5EDT" alone: what the C libraries take, second Sunday of March to first of November.
constexpr Change kUsualBegin{Change::Kind::weekday, 0, 3, 2, 2 * kHour_s};
constexpr Change kUsualEnd{Change::Kind::weekday, 0, 11, 1, 2 * kHour_s};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_quoted(char c) noexcept {
  return is_letter(c) || is_digit(c) || c == '+' || c == '-';
}

/// Sticky, as Reader is: after the first fault everything reads as zero.
class Text {
 public:
  explicit Text(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool bad() const noexcept { return bad_; }
  [[nodiscard]] bool done() const noexcept { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const noexcept { return rest_.starts_with(c); }
  bool eat(char c) noexcept {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) noexcept {
    if (!eat(c)) spoil();
  }

  /// EST or <+03>. What a zone calls itself is of no use to a table.
  void name() noexcept {
    const bool quoted = eat('<');
    const auto end = std::ranges::find_if_not(rest_, quoted ? is_quoted : is_letter);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    if (size < kMinName) return spoil();
    rest_.remove_prefix(size);
    if (quoted) need('>');
  }

  std::uint32_t number(std::uint32_t least, std::uint32_t most) noexcept {
    std::uint32_t value = 0;
    if (done() || !is_digit(rest_.front())) spoil();
    while (!done() && is_digit(rest_.front()) && !bad_) {
      value = value * 10 + static_cast<std::uint32_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
      if (value > most) spoil();
    }
    if (value < least) spoil();
    return bad_ ? least : value;
  }

  /// [+-]hh[:mm[:ss]], seconds.
  std::int32_t clock(std::uint32_t most_h) noexcept {
    const bool negative = eat('-');
    if (!negative) eat('+');
    std::uint32_t seconds = number(0, most_h) * 3600;
    if (eat(':')) {
      seconds += number(0, kLastMinute) * 60;
      if (eat(':')) seconds += number(0, kLastMinute);
    }
    const auto value = static_cast<std::int32_t>(seconds);
    return negative ? -value : value;
  }

  /// Jn, n or Mm.w.d, each with [/time].
  Change change() noexcept {
    Change out;
    if (eat('M')) {
      out.month = static_cast<std::uint8_t>(number(1, 12));
      need('.');
      out.week = static_cast<std::uint8_t>(number(1, 5));
      need('.');
      out.day = static_cast<std::uint16_t>(number(0, 6));
    } else if (eat('J')) {
      out.kind = Change::Kind::julian;
      out.day = static_cast<std::uint16_t>(number(1, 365));
    } else {
      out.kind = Change::Kind::ordinal;
      out.day = static_cast<std::uint16_t>(number(0, 365));
    }
    if (eat('/')) out.time_s = clock(kMaxTime_h);
    return out;
  }

 private:
  void spoil() noexcept {
    bad_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool bad_ = false;
};

PosixZone::Daylight read_daylight(Text& in, std::int32_t standard_s) noexcept {
  PosixZone::Daylight out;
  in.name();
  out.offset_s = in.done() || in.at(',') ? standard_s + kHour_s : -in.clock(kMaxOffset_h);
  if (in.done()) {
    out.begin = kUsualBegin;
    out.end = kUsualEnd;
    return out;
  }
  in.need(',');
  out.begin = in.change();
  in.need(',');
  out.end = in.change();
  return out;
}

}  // namespace

Result<PosixZone> parse_posix_tz(std::string_view text) noexcept {
  Text in(text);
  PosixZone out;
  in.name();
  out.standard_s = -in.clock(kMaxOffset_h);
  if (!in.done()) out.daylight = read_daylight(in, out.standard_s);
  if (in.bad() || !in.done() || !is_offset(out.standard_s)) return fail(Errc::malformed);
  if (out.daylight && !is_offset(out.daylight->offset_s)) return fail(Errc::malformed);
  return out;
}

}  // namespace sluice::zoneinfo
