// ruleformats/geo_dat.h - geosite.dat and geoip.dat: categories of names and of prefixes.
//
//   file              entry*                        (protobuf, field 1)
//   entry             1 code   2 item*   3 inverse  (geoip: all but the prefixes)
//   item of geosite   1 kind (0 keyword, 1 regex, 2 suffix, 3 exact)   2 text   3 attribute {1 key}
//   item of geoip     1 address, 4 or 16 bytes   2 prefix length
//
// Schema: v2fly's router/config.proto. A category is found by stepping over the others; nothing of
// them is decoded.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleformats/proto_fields.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Attributes of one rule. Lists of the field use one, at times two.
inline constexpr std::size_t kMaxAttributes = 32;

/// What a GEOSITE or GEOIP rule names: "cn", "geo-!cn@cn", "!cn". Views into the rule.
struct GeoReference {
  bool inverse = false;                      ///< a leading `!`: everything but the category
  std::string_view category;                 ///< further `!` are part of the name
  std::vector<std::string_view> attributes;  ///< entries must have all of them

  /// Errors: malformed (no category, an empty attribute, more than kMaxAttributes).
  static Result<GeoReference> parse(std::string_view text);
};

/// One category of a file. A view: the file outlives it.
struct GeoCategory {
  std::string_view code;  ///< as the file writes it, mostly in upper case
  ByteView entry;
  std::uint64_t offset = 0;  ///< of `entry` in the file
};

/// The categories of a file in their order.
class GeoCategories {
 public:
  explicit GeoCategories(ByteView file) noexcept : file_(file), fields_(file) {}

  /// False at the end and when the file is broken: then failed() says so.
  bool next(GeoCategory& out) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failure_.code != Errc::none; }
  [[nodiscard]] const Refusal& refusal() const noexcept { return failure_; }

 private:
  ByteView file_;
  ProtoFields fields_;
  Refusal failure_;
};

/// The first category of that name, without regard to case.
/// Errors: not_found, truncated, malformed, too_large (input_bytes).
[[nodiscard]] Outcome<GeoCategory> find_category(ByteView file, std::string_view code,
                                                 const Bounds& bounds);

/// The names of a geosite category that have all of `attributes` (at most kMaxAttributes),
/// compared without regard to case.
/// Errors: truncated, malformed, too_large (entries).
[[nodiscard]] Outcome<Tally> read_geosite(const GeoCategory& category,
                                          const std::vector<std::string_view>& attributes,
                                          const Bounds& bounds, Entries& to);

struct GeoipTally {
  Tally tally;
  bool inverse = false;  ///< the category is every address but these
};
/// The prefixes of a geoip category. Errors: truncated, malformed, too_large (entries).
[[nodiscard]] Outcome<GeoipTally> read_geoip(const GeoCategory& category, const Bounds& bounds,
                                             Entries& to);

}  // namespace sluice::ruleformats
