#include "controlplane/zoneinfo/tzif.h"

#include <optional>

#include "controlplane/zoneinfo/limits.h"
#include "controlplane/zoneinfo/posix_zone.h"
#include "controlplane/zoneinfo/table.h"

namespace sluice::zoneinfo {
namespace {

constexpr std::string_view kMagic = "TZif";
constexpr std::size_t kReserved_bytes = 15;
constexpr std::uint8_t kFirstWideVersion = '2';
constexpr std::size_t kType_bytes = 6;
constexpr std::uint32_t kMaxTypes = 256;
constexpr std::size_t kCorrection_bytes = 4;

struct Header {
  std::uint8_t version = 0;
  std::uint32_t isut = 0, isstd = 0, leaps = 0, times = 0, types = 0, chars = 0;
  [[nodiscard]] bool wide() const noexcept { return version >= kFirstWideVersion; }
};

/// The arrays of a body that tables are made of.
struct Body {
  std::size_t word = 4;  ///< bytes of a time
  ByteView times, indexes, types;
};

Result<Header> read_header(Reader& in) noexcept {
  const ByteView magic = in.take(kMagic.size());
  Header out;
  out.version = in.u8();
  in.skip(kReserved_bytes);
  for (std::uint32_t* count :
       {&out.isut, &out.isstd, &out.leaps, &out.times, &out.types, &out.chars})
    *count = in.u32be();
  if (!magic.empty() && as_text(magic) != kMagic) return fail(Errc::malformed);
  if (in.short_read()) return fail(Errc::truncated);
  if (out.version != 0 && !out.wide()) return fail(Errc::malformed);
  return out;
}

std::uint64_t body_size(const Header& header, std::size_t word) noexcept {
  return std::uint64_t{header.times} * (word + 1) + std::uint64_t{header.types} * kType_bytes +
         header.chars + std::uint64_t{header.leaps} * (word + kCorrection_bytes) + header.isstd +
         header.isut;
}

/// Every type: an offset that a table can hold, a flag, a name that is there.
bool types_are_sound(ByteView types, std::uint32_t chars) noexcept {
  Reader in(types);
  while (in.left() > 0) {
    const auto offset_s = static_cast<std::int32_t>(in.u32be());
    const std::uint8_t daylight = in.u8();
    const std::uint8_t name = in.u8();
    if (!is_offset(offset_s) || daylight > 1 || name >= chars) return false;
  }
  return true;
}

Result<Body> read_body(Reader& in, const Header& header, std::size_t word) noexcept {
  const auto one_each = [&](std::uint32_t count) { return count == 0 || count == header.types; };
  if (header.types == 0 || header.types > kMaxTypes || header.chars == 0 ||
      !one_each(header.isstd) || !one_each(header.isut))
    return fail(Errc::malformed);
  if (body_size(header, word) > in.left()) return fail(Errc::truncated);
  Body out{word, {}, {}, {}};
  out.times = in.take(header.times * word);
  out.indexes = in.take(header.times);
  out.types = in.take(header.types * kType_bytes);
  in.skip(header.chars + header.leaps * (word + kCorrection_bytes) + header.isstd + header.isut);
  if (!types_are_sound(out.types, header.chars)) return fail(Errc::malformed);
  if (header.leaps != 0) return fail(Errc::unsupported);
  return out;
}

std::int64_t read_time(Reader& in, std::size_t word) noexcept {
  if (word == 4) return static_cast<std::int32_t>(in.u32be());
  return static_cast<std::int64_t>(in.u64be());
}

std::int32_t offset_of(const Body& body, std::size_t type) noexcept {
  return static_cast<std::int32_t>(Reader(body.types.subspan(type * kType_bytes)).u32be());
}

/// Behind the LF that closes it nothing counts. Errors: truncated, malformed.
Result<std::optional<PosixZone>> read_footer(ByteView rest) noexcept {
  const std::string_view text = as_text(rest);
  if (text.empty()) return fail(Errc::truncated);
  if (text.front() != '\n') return fail(Errc::malformed);
  const std::size_t end = text.find('\n', 1);
  if (end == std::string_view::npos) return fail(Errc::truncated);
  if (end == 1) return std::optional<PosixZone>();
  const auto zone = parse_posix_tz(text.substr(1, end - 1));
  if (!zone) return fail(zone.error());
  return std::optional<PosixZone>(*zone);
}

/// Moment of the last change, if there are any. Errors: malformed (order, a type that is not
/// there).
Result<std::optional<std::int64_t>> append_body(const Body& body, TableWriter& to) {
  Reader times(body.times);
  std::optional<std::int64_t> last;
  for (const std::byte index : body.indexes) {
    const std::int64_t at = read_time(times, body.word);
    const auto type = std::to_integer<std::size_t>(index);
    if ((last && at <= *last) || type * kType_bytes >= body.types.size())
      return fail(Errc::malformed);
    last = at;
    to.change(at, offset_of(body, type));
  }
  return last;
}

}  // namespace

Result<ruleset::Zone> parse_tzif(ByteView file, Span span) {
  Reader in(file);
  auto header = read_header(in);
  if (!header) return fail(header.error());
  const bool wide = header->wide();
  if (wide) {
    const std::uint64_t narrow_size = body_size(*header, 4);
    if (narrow_size > in.left()) return fail(Errc::truncated);
    in.skip(static_cast<std::size_t>(narrow_size));
    header = read_header(in);
    if (!header) return fail(header.error());
  }
  const auto body = read_body(in, *header, wide ? 8 : 4);
  if (!body) return fail(body.error());
  std::optional<PosixZone> rule;
  if (wide) {
    const auto footer = read_footer(in.rest());
    if (!footer) return fail(footer.error());
    rule = *footer;
  }

  // Without any change the rule tells all of it, RFC 8536 section 3.3.
  const bool rule_alone = rule && body->indexes.empty();
  TableWriter table(span, rule_alone ? rule->standard_s : offset_of(*body, 0));
  const auto last = append_body(*body, table);
  if (!last) return fail(last.error());
  if (rule) append_changes(*rule, *last, table);
  return table.finish();
}

}  // namespace sluice::zoneinfo
