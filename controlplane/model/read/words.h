// read/words.h - small values as users write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/condition.h"
#include "proto/common/clock.h"
#include "proto/common/result.h"

namespace sluice::model {

/// true/false, yes/no, on/off in any case, quoted or not.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view text) noexcept;
/// Decimal, or hexadecimal after 0x. Errors: malformed.
[[nodiscard]] Result<std::uint64_t> parse_integer(std::string_view text) noexcept;
/// "90" and "90s", "1500ms", "5m", "2h". Errors: malformed; too_large above 30 days.
[[nodiscard]] Result<Millis> parse_span(std::string_view text) noexcept;
/// Bytes: "1048576", "64K", "64KiB", "64M", "64MiB", "1G", "1GiB" (all powers of 1024). Errors:
/// malformed; too_large above 2^40.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text) noexcept;
/// "80", "80/443", "80,443/1000-2000": at most `most` items. Errors: malformed, too_large.
[[nodiscard]] Result<std::vector<PortRange>> parse_ports(std::string_view text, std::size_t most);

/// A name as rules, hosts and DNS compare it: normal form, U-labels turned into A-labels (IDNA
/// 2008, libidn2). Errors: malformed.
[[nodiscard]] Result<std::string> to_ascii_name(std::string_view text);
/// The same for a pattern: `+.` or `.` may lead, `*` may stand for a label. Errors: malformed (no
/// name can be like that), unsupported (a wildcard where none may stand).
[[nodiscard]] Result<std::string> to_ascii_pattern(std::string_view text);

/// The same for DOMAIN-WILDCARD: `*` (any run of characters, dots too) and `?` (one) anywhere; a
/// label that is not ASCII may hold neither. Errors: malformed.
[[nodiscard]] Result<std::string> to_ascii_glob(std::string_view text);

/// `text` in quotes, cut when long, for messages. Not for secrets.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace sluice::model
