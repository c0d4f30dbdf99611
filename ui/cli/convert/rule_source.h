// convert/rule_source.h - where `rules convert` reads entries from: a file of a rule provider, or
// one part of a geo database.
//
//   format                     what is read           what has to be said
//   text yaml                  all entries            their behavior is seen from the entries
//   mrs srs json               all entries
//   adguard hosts              all entries
//   dat  (geosite, geoip)      one category           which
//   mmdb (countries, numbers)  one country or system  which
//
// Pure: bytes in memory in, entries out.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controlplane/ruleformats/rule_file.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

/// The first ones as in ruleformats::Format.
enum class SourceFormat : std::uint8_t { text, yaml, mrs, srs, json, adguard, hosts, dat, mmdb };

[[nodiscard]] std::string_view to_text(SourceFormat format) noexcept;
/// The names that to_text gives. Errors: not_found.
[[nodiscard]] Result<SourceFormat> parse_source_format(std::string_view name) noexcept;
/// By the first bytes where they tell, else by the end of the name.
[[nodiscard]] std::optional<SourceFormat> guess_source_format(std::string_view file_name,
                                                              ByteView file) noexcept;

/// Which part of a geo database.
struct GeoPart {
  std::string category;   ///< dat: "cn", "cn@ads"
  std::string country;    ///< mmdb
  std::uint32_t asn = 0;  ///< mmdb; 0 = none
};

/// A file whose way of reading is settled; the bytes stay with the caller.
class RuleSource {
 public:
  /// `asked` is the behavior that the user named; text and yaml entries that are classical rules
  /// are read as such all the same. `file_name` stands in failures. Failures: usage (the part is
  /// not said, or said for a file without parts), refused (a whole configuration).
  static std::expected<RuleSource, Failure> open(std::string file_name, SourceFormat format,
                                                 std::optional<ruleformats::Behavior> asked,
                                                 GeoPart part, ByteView file,
                                                 const ruleformats::Bounds& bounds);

  /// Hands over all entries, the same each time. Failures: refused (a broken file), not_found (no
  /// such part).
  [[nodiscard]] std::expected<ruleformats::Tally, Failure> read(ByteView file,
                                                                const ruleformats::Bounds& bounds,
                                                                ruleformats::Entries& to) const;

  [[nodiscard]] SourceFormat format() const noexcept { return format_; }
  /// What all entries are for sure; nothing when the file may mix them.
  [[nodiscard]] std::optional<ruleformats::Behavior> behavior() const noexcept;

 private:
  RuleSource(std::string file_name, SourceFormat format, GeoPart part)
      : file_name_(std::move(file_name)), format_(format), part_(std::move(part)) {}

  [[nodiscard]] std::optional<Failure> check_part() const;
  [[nodiscard]] ruleformats::Outcome<ruleformats::Tally> read_plain(
      ByteView file, const ruleformats::Bounds& bounds, ruleformats::Entries& to) const;
  [[nodiscard]] Failure failure(const ruleformats::Refusal& refusal) const;

  std::string file_name_;
  SourceFormat format_;
  GeoPart part_;
  ruleformats::Behavior behavior_ = ruleformats::Behavior::domain;  ///< text, yaml, mrs
};

}  // namespace sluice::cli
