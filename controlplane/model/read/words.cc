#include "controlplane/model/read/words.h"

#include <charconv>
#include <span>

#include "proto/common/text.h"

namespace sluice::model {
namespace {

constexpr std::uint64_t kLongestSpan_ms = std::uint64_t{30} * 24 * 3600 * 1000;
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 40;
constexpr std::size_t kQuoted = 80;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

/// "12unit": the number times the unit's factor; the first row is meant when no unit is written.
Result<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                      std::uint64_t most) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return fail(Errc::too_large);
  if (error != std::errc() || end == text.data()) return fail(Errc::malformed);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& u : units) {
    if (!iequals(u.name, unit) && !(unit.empty() && &u == units.data())) continue;
    if (value > most / u.factor) return fail(Errc::too_large);
    return value * u.factor;
  }
  return fail(Errc::malformed);
}

Result<PortRange> parse_port_range(std::string_view text) noexcept {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(trim(text.substr(0, dash)), 65535);
  if (!first) return fail(first.error());
  const auto last =
      dash == std::string_view::npos ? first : parse_number(trim(text.substr(dash + 1)), 65535);
  if (!last) return fail(last.error());
  if (*first > *last) return fail(Errc::malformed);
  return PortRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

}  // namespace

std::optional<bool> parse_flag(std::string_view text) noexcept {
  for (const std::string_view yes : {"true", "yes", "on"})
    if (iequals(text, yes)) return true;
  for (const std::string_view no : {"false", "no", "off"})
    if (iequals(text, no)) return false;
  return std::nullopt;
}

Result<std::uint64_t> parse_integer(std::string_view text) noexcept {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return parse_number(text);
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || text.empty() || end != text.data() + text.size())
    return fail(Errc::malformed);
  return value;
}

Result<Millis> parse_span(std::string_view text) noexcept {
  static constexpr Unit kUnits[] = {{"s", 1000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}};
  const auto value = parse_with_unit(text, kUnits, kLongestSpan_ms);
  if (!value) return fail(value.error());
  return Millis{static_cast<std::int64_t>(*value)};
}

Result<std::uint64_t> parse_size(std::string_view text) noexcept {
  static constexpr std::uint64_t kKi = 1024;
  static constexpr Unit kUnits[] = {{"B", 1},
                                    {"K", kKi},
                                    {"KB", kKi},
                                    {"KiB", kKi},
                                    {"M", kKi * kKi},
                                    {"MB", kKi * kKi},
                                    {"MiB", kKi * kKi},
                                    {"G", kKi * kKi * kKi},
                                    {"GB", kKi * kKi * kKi},
                                    {"GiB", kKi * kKi * kKi}};
  return parse_with_unit(text, kUnits, kLargestSize);
}

Result<std::vector<PortRange>> parse_ports(std::string_view text, std::size_t most) {
  std::vector<PortRange> out;
  while (true) {
    const std::size_t cut = text.find_first_of("/,");
    const auto range = parse_port_range(trim(text.substr(0, cut)));
    if (!range) return fail(range.error());
    if (out.size() == most) return fail(Errc::too_large);
    out.push_back(*range);
    if (cut == std::string_view::npos) return out;
    text.remove_prefix(cut + 1);
  }
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  if (text.size() <= kQuoted) {
    out += text;
  } else {
    std::size_t cut = kQuoted;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
    out.append(text.substr(0, cut)).append("…");
  }
  return out + "\"";
}

}  // namespace sluice::model
