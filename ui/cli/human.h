// cli/human.h - numbers as people read them, and moments as programs do.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::cli {

/// "0 B", "999 B", "1.0 KiB", "12.3 MiB", "4.0 TiB": at most four digits, powers of 1024.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
/// human_bytes and "/s".
[[nodiscard]] std::string human_rate(std::uint64_t bytes, std::int64_t span_ms);
/// "0s", "59s", "4m05s", "2h13m", "3d04h"; negative spans are 0s.
[[nodiscard]] std::string human_span(std::int64_t ms);
/// "2026-11-30T11:25:56.123Z" (RFC 3339, UTC).
[[nodiscard]] std::string rfc3339(std::int64_t wall_ms);
/// The same; empty for 0, which stands for "never".
[[nodiscard]] std::string rfc3339_or_empty(std::int64_t wall_ms);

/// "60s", "5m", "2h", "1d" or plain seconds, as seconds. Errors: malformed (also above a day).
[[nodiscard]] Result<std::uint32_t> parse_span(std::string_view text) noexcept;

/// As parse_span, up to ten years, with "w" for weeks too: "7d", "12h", "4w".
[[nodiscard]] Result<std::uint32_t> parse_past(std::string_view text) noexcept;
/// "500", "100K", "2M", "1G" bytes, powers of 1024. Errors: malformed.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text) noexcept;

/// 3, "flow" -> "3 flows".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

}  // namespace sluice::cli
