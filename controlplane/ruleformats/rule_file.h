// ruleformats/rule_file.h - any file of a rule provider, by the name of its format.
//
//   format       behaviours                what comes out
//   text yaml    domain ipcidr classical   what the behaviour says (item.h)
//   mrs          domain ipcidr             names, or prefixes
//   srs json     any                       names, prefixes and rules, as sing-box's file has them
//   adguard      domain                    names, with exceptions
//   hosts        domain                    names
#pragma once

#include <optional>
#include <string_view>

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

enum class Format : std::uint8_t { text, yaml, mrs, srs, json, adguard, hosts };

[[nodiscard]] std::string_view to_text(Format format) noexcept;
/// The names that to_text gives. Errors: not_found.
[[nodiscard]] Result<Format> parse_format(std::string_view name) noexcept;

/// What a file most likely is: by its first bytes where they tell, else by the end of its name
/// ("ads.yaml"). Nothing when neither does.
[[nodiscard]] std::optional<Format> guess_format(std::string_view file_name,
                                                 ByteView start) noexcept;

/// Errors: those of the format's reader; unsupported for a format without this behaviour.
[[nodiscard]] Outcome<Tally> read_rule_file(Format format, Behavior behavior, ByteView file,
                                            const Bounds& bounds, Entries& to);

}  // namespace sluice::ruleformats
