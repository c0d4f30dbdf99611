#include "ui/cli/convert/rule_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controlplane/model/keys/key.h"
#include "controlplane/ruleformats/lines.h"
#include "proto/common/text.h"
#include "ui/cli/convert/census.h"
#include "ui/cli/convert/geo_part.h"

namespace sluice::cli {
namespace {

using ruleformats::Behavior;
using ruleformats::Bounds;
using ruleformats::Entries;
using ruleformats::Format;
using ruleformats::Outcome;
using ruleformats::Tally;

static_assert(static_cast<int>(Format::hosts) == static_cast<int>(SourceFormat::hosts));

constexpr std::array<std::string_view, 9> kNames = {"text",    "yaml",  "mrs", "srs", "json",
                                                    "adguard", "hosts", "dat", "mmdb"};

Format rule_format(SourceFormat format) {
  return static_cast<Format>(format);
}

bool ends_in(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && iequals(name.substr(name.size() - ending.size()), ending);
}

bool is_list(SourceFormat format) {
  return format == SourceFormat::text || format == SourceFormat::yaml;
}

/// A key at the start of a line that only whole configurations have.
bool is_configuration(ByteView file) {
  ruleformats::Lines lines(as_text(file));
  while (lines.next()) {
    const std::string_view line = lines.text();
    const std::string_view key = line.substr(0, line.find(':'));
    if (key.size() == line.size() || key == "rules") continue;
    if (model::keys::kTopLevel.find(key) != nullptr) return true;
  }
  return false;
}

/// How many entries of a list there are when they are read so.
std::uint64_t count_as(SourceFormat format, Behavior behavior, ByteView file, const Bounds& bounds,
                       std::uint64_t& faults) {
  Census census;
  (void)read_rule_file(rule_format(format), behavior, file, bounds, census);
  faults = census.faults;
  return census.entries();
}

/// A bare address reads as a name too, and a rule's comma is no fault in a name: so classical rules
/// are looked for first, then addresses.
Behavior behavior_of_list(SourceFormat format, std::optional<Behavior> asked, ByteView file,
                          const Bounds& bounds) {
  std::uint64_t faults = 0;
  if (asked == Behavior::classical) return *asked;
  const std::uint64_t rules = count_as(format, Behavior::classical, file, bounds, faults);
  if (rules > 0 && rules >= faults) return Behavior::classical;
  if (asked) return *asked;
  const std::uint64_t addresses = count_as(format, Behavior::ipcidr, file, bounds, faults);
  const std::uint64_t names = count_as(format, Behavior::domain, file, bounds, faults);
  return addresses > 0 && addresses >= names ? Behavior::ipcidr : Behavior::domain;
}

/// An mrs file says what it holds; the reader is asked with the one and, if need be, the other.
Behavior behavior_of_mrs(ByteView file, const Bounds& bounds) {
  Census census;
  const auto read = read_rule_file(Format::mrs, Behavior::domain, file, bounds, census);
  const bool other = !read && read.error().code == Errc::unsupported;
  return other ? Behavior::ipcidr : Behavior::domain;
}

}  // namespace

std::string_view to_text(SourceFormat format) noexcept {
  return kNames[static_cast<std::size_t>(format)];
}

Result<SourceFormat> parse_source_format(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return fail(Errc::not_found);
  return static_cast<SourceFormat>(found - kNames.begin());
}

std::optional<SourceFormat> guess_source_format(std::string_view file_name,
                                                ByteView file) noexcept {
  if (ends_in(file_name, ".dat")) return SourceFormat::dat;
  if (ends_in(file_name, ".mmdb") || ends_in(file_name, ".metadb")) return SourceFormat::mmdb;
  const auto guessed = ruleformats::guess_format(file_name, file);
  if (!guessed) return std::nullopt;
  return static_cast<SourceFormat>(*guessed);
}

std::expected<RuleSource, Failure> RuleSource::open(std::string file_name, SourceFormat format,
                                                    std::optional<Behavior> asked, GeoPart part,
                                                    ByteView file, const Bounds& bounds) {
  RuleSource out(std::move(file_name), format, std::move(part));
  if (auto problem = out.check_part()) return std::unexpected(std::move(*problem));
  if (format == SourceFormat::yaml && is_configuration(file))
    return std::unexpected(Failure{
        ExitCode::refused,
        out.file_name_ + " is a whole configuration; copy the lines that make the list into a "
                         "file of their own, under payload: and without their targets"});
  if (is_list(format)) out.behavior_ = behavior_of_list(format, asked, file, bounds);
  if (format == SourceFormat::mrs) out.behavior_ = behavior_of_mrs(file, bounds);
  return out;
}

std::optional<Failure> RuleSource::check_part() const {
  const bool category = !part_.category.empty();
  const bool place = !part_.country.empty() || part_.asn != 0;
  const auto problem = [&](std::string_view text) {
    return Failure{ExitCode::usage, file_name_ + " is read as " + std::string(to_text(format_)) +
                                        ", which " + std::string(text)};
  };
  if (format_ == SourceFormat::dat && !category)
    return problem("holds many categories; say which one with --category");
  if (format_ == SourceFormat::mmdb && !place)
    return problem("holds many countries or networks; say which with --country or --asn");
  if (format_ != SourceFormat::dat && category)
    return problem("has no categories; leave --category");
  if (format_ != SourceFormat::mmdb && place)
    return problem("has no countries and networks; leave --country and --asn");
  return std::nullopt;
}

std::optional<Behavior> RuleSource::behavior() const noexcept {
  switch (format_) {
    case SourceFormat::text:
    case SourceFormat::yaml:
    case SourceFormat::mrs:
      return behavior_;
    case SourceFormat::mmdb:
      return Behavior::ipcidr;
    default:
      return std::nullopt;
  }
}

Outcome<Tally> RuleSource::read_plain(ByteView file, const Bounds& bounds, Entries& to) const {
  if (format_ == SourceFormat::dat) return read_dat(file, part_.category, bounds, to);
  if (format_ == SourceFormat::mmdb) return read_mmdb(file, part_, bounds, to);
  return read_rule_file(rule_format(format_), behavior_, file, bounds, to);
}

std::expected<Tally, Failure> RuleSource::read(ByteView file, const Bounds& bounds,
                                               Entries& to) const {
  const auto tally = read_plain(file, bounds, to);
  if (tally) return *tally;
  Failure problem = failure(tally.error());
  if (problem.code == ExitCode::not_found) problem.text += "; " + other_parts(format_, file, part_);
  return std::unexpected(std::move(problem));
}

Failure RuleSource::failure(const ruleformats::Refusal& refusal) const {
  std::string text =
      file_name_ + " (" + std::string(to_text(format_)) + ") " + std::string(refusal.reason);
  if (refusal.offset > 0) text += ", at byte " + std::to_string(refusal.offset);
  return {refusal.code == Errc::not_found ? ExitCode::not_found : ExitCode::refused,
          std::move(text)};
}

}  // namespace sluice::cli
