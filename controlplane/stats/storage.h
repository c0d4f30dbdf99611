// stats/storage.h - whether writing below a directory wears flash.
//
// Raw flash (UBIFS, JFFS2, F2FS; also as the upper layer of an overlay, as OpenWrt mounts it) and
// eMMC or SD cards (/dev/mmcblk*) do; disks, SSDs and tmpfs do not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::stats {

/// False where it cannot be found out.
[[nodiscard]] bool is_on_flash(const std::string& directory);

/// The upper directory of the overlay that is mounted at or above `directory`, out of the text of
/// /proc/self/mountinfo; empty when none is.
[[nodiscard]] std::string upper_of_overlay(std::string_view mountinfo, std::string_view directory);
[[nodiscard]] bool is_flash_type(std::uint64_t filesystem_magic) noexcept;

}  // namespace sluice::stats
