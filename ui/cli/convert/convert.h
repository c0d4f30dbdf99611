// convert/convert.h - a file of rules in another format.
//
//   bytes ── RuleSource ── entries ─┬─ LineWriter ─┬─> pieces of at most some 64 KiB ── ByteSink
//                                   └─ MrsWriter ──┘
//                                        └── no form for it ──> LeftOut
//
// Read twice: first to see which behavior has a form for all entries, then to write. Memory beside
// the input: a piece, or for mrs what its writer keeps. Pure: no files.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "ui/cli/convert/left_out.h"
#include "ui/cli/convert/rule_source.h"

namespace sluice::cli {

enum class OutFormat : std::uint8_t { text, yaml, mrs };

[[nodiscard]] std::string_view to_text(OutFormat format) noexcept;
/// The names that to_text gives. Errors: not_found.
[[nodiscard]] Result<OutFormat> parse_out_format(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_text(ruleformats::Behavior behavior) noexcept;
[[nodiscard]] Result<ruleformats::Behavior> parse_behavior(std::string_view name) noexcept;

/// Largest file that is written.
inline constexpr std::uint64_t kMaxOut_bytes = std::uint64_t{1} << 30;

/// Where the bytes go.
class ByteSink {
 public:
  /// Errors: whatever writing has; the first ends the conversion.
  virtual Status write(std::string_view piece) = 0;

 protected:
  ~ByteSink() = default;
};

struct Conversion {
  OutFormat to = OutFormat::text;
  std::optional<ruleformats::Behavior> behavior;  ///< of what is written; nothing: chosen
};

struct Converted {
  ruleformats::Behavior behavior = ruleformats::Behavior::domain;
  std::uint64_t entries = 0;  ///< written
};

/// `source` was opened over `file`. What has no form, and what is broken, goes to `left_out`. When
/// no entry has a form nothing is written and it fails. Failures: refused, not_found (RuleSource),
/// usage (the sink).
[[nodiscard]] std::expected<Converted, Failure> convert(const RuleSource& source, ByteView file,
                                                        const Conversion& how,
                                                        const ruleformats::Bounds& bounds,
                                                        LeftOut& left_out, ByteSink& to);

}  // namespace sluice::cli
