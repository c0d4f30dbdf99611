#include "ui/cli/convert/convert.h"

#include <algorithm>
#include <array>

#include "controlplane/ruleformats/line_writer.h"
#include "controlplane/ruleformats/mrs.h"
#include "proto/common/error_text.h"
#include "ui/cli/convert/census.h"
#include "ui/cli/convert/checked_rules.h"
#include "ui/cli/convert/plain_lines.h"

namespace sluice::cli {
namespace {

using ruleformats::Behavior;
using ruleformats::Bounds;

constexpr std::array<std::string_view, 3> kFormats = {"text", "yaml", "mrs"};
constexpr std::array<std::string_view, 3> kBehaviors = {"domain", "ipcidr", "classical"};
constexpr std::size_t kPiece_bytes = std::size_t{64} << 10;

/// Lines, handed on piece by piece. After a failure the rest is dropped.
class LinePieces final : public ruleformats::Entries {
 public:
  LinePieces(ruleformats::LineFormat format, Behavior behavior, LeftOut& left_out, ByteSink& to)
      : writer_(format, behavior, piece_, left_out), to_(to) {}

  void name(const ruleformats::NameEntry& entry) override {
    writer_.name(entry);
    hand_on(kPiece_bytes);
  }
  void prefix(const Prefix& prefix, const ruleformats::Place& place) override {
    writer_.prefix(prefix, place);
    hand_on(kPiece_bytes);
  }
  void line(std::string_view rule, const ruleformats::Place& place) override {
    writer_.line(rule, place);
    hand_on(kPiece_bytes);
  }
  void fault(const ruleformats::Fault& fault) override { writer_.fault(fault); }

  Status finish() {
    hand_on(0);
    return state_;
  }

 private:
  void hand_on(std::size_t above) {
    if (piece_.size() <= above) return;
    written_ += piece_.size();
    if (state_ && written_ > kMaxOut_bytes) state_ = fail(Errc::too_large);
    if (state_) state_ = to_.write(piece_);
    piece_.clear();
  }

  std::string piece_;
  ruleformats::LineWriter writer_;
  ByteSink& to_;
  std::uint64_t written_ = 0;
  Status state_;
};

/// What has a form for all entries; for mrs, which has none for rules, for most.
Behavior choose_behavior(const RuleSource& source, OutFormat to, const Census& census) {
  const bool to_mrs = to == OutFormat::mrs;
  const auto known = source.behavior();
  if (known && !(to_mrs && *known == Behavior::classical)) return *known;
  if (to_mrs) return census.prefixes > census.names ? Behavior::ipcidr : Behavior::domain;
  if (census.entries() == census.names) return Behavior::domain;
  return census.entries() == census.prefixes ? Behavior::ipcidr : Behavior::classical;
}

/// Entries that the behavior has a form for.
std::uint64_t fitting(const Census& census, Behavior behavior) {
  if (behavior == Behavior::domain) return census.names;
  return behavior == Behavior::ipcidr ? census.prefixes : census.entries();
}

Failure refused(std::string text) {
  return {ExitCode::refused, std::move(text)};
}

Failure write_failure(const Error& error) {
  if (error.code == Errc::too_large) return refused("what it would become is larger than 1 GiB");
  return {ExitCode::usage, "cannot write (" + describe(error) + ")"};
}

/// Reads what a router would use into `writer`, rules that are plain names or prefixes as such
/// where `plain`.
std::expected<void, Failure> pour(const RuleSource& source, ByteView file, const Bounds& bounds,
                                  bool plain, ruleformats::Entries& writer) {
  PlainLines plain_lines(writer, bounds);
  CheckedRules checked(plain ? static_cast<ruleformats::Entries&>(plain_lines) : writer);
  const auto read = source.read(file, bounds, checked);
  if (!read) return std::unexpected(read.error());
  return {};
}

std::expected<void, Failure> write_lines(const RuleSource& source, ByteView file, OutFormat format,
                                         Behavior behavior, const Bounds& bounds, LeftOut& left_out,
                                         ByteSink& to) {
  const auto lines =
      format == OutFormat::text ? ruleformats::LineFormat::text : ruleformats::LineFormat::yaml;
  LinePieces pieces(lines, behavior, left_out, to);
  auto read = pour(source, file, bounds, behavior != Behavior::classical, pieces);
  if (!read) return read;
  if (const Status done = pieces.finish(); !done)
    return std::unexpected(write_failure(done.error()));
  return {};
}

std::expected<void, Failure> write_mrs(const RuleSource& source, ByteView file, Behavior behavior,
                                       const Bounds& bounds, LeftOut& left_out, ByteSink& to) {
  ruleformats::MrsWriter writer(behavior, left_out);
  auto read = pour(source, file, bounds, true, writer);
  if (!read) return read;
  const auto bytes = writer.finish();
  if (!bytes) return std::unexpected(refused("an mrs file needs an entry; there is none"));
  if (const Status done = to.write(as_text(*bytes)); !done)
    return std::unexpected(write_failure(done.error()));
  return {};
}

}  // namespace

std::string_view to_text(OutFormat format) noexcept {
  return kFormats[static_cast<std::size_t>(format)];
}

Result<OutFormat> parse_out_format(std::string_view name) noexcept {
  const auto found = std::ranges::find(kFormats, name);
  if (found == kFormats.end()) return fail(Errc::not_found);
  return static_cast<OutFormat>(found - kFormats.begin());
}

std::string_view to_text(Behavior behavior) noexcept {
  return kBehaviors[static_cast<std::size_t>(behavior)];
}

Result<Behavior> parse_behavior(std::string_view name) noexcept {
  const auto found = std::ranges::find(kBehaviors, name);
  if (found == kBehaviors.end()) return fail(Errc::not_found);
  return static_cast<Behavior>(found - kBehaviors.begin());
}

std::expected<Converted, Failure> convert(const RuleSource& source, ByteView file,
                                          const Conversion& how, const Bounds& bounds,
                                          LeftOut& left_out, ByteSink& to) {
  if (how.to == OutFormat::mrs && how.behavior == Behavior::classical)
    return std::unexpected(Failure{ExitCode::usage,
                                   "an mrs file holds domain or ipcidr entries; convert to text or "
                                   "yaml to keep rules as they are"});
  Census census;
  if (const auto seen = pour(source, file, bounds, true, census); !seen)
    return std::unexpected(seen.error());
  Converted out;
  out.behavior = how.behavior.value_or(choose_behavior(source, how.to, census));
  if (census.entries() + census.faults > 0 && fitting(census, out.behavior) == 0)
    return std::unexpected(
        refused("no entry has a form in a " + std::string(to_text(out.behavior)) + " file"));
  const auto written = how.to == OutFormat::mrs
                           ? write_mrs(source, file, out.behavior, bounds, left_out, to)
                           : write_lines(source, file, how.to, out.behavior, bounds, left_out, to);
  if (!written) return std::unexpected(written.error());
  out.entries = census.entries() + census.faults - left_out.count();
  return out;
}

}  // namespace sluice::cli
