// ruleset/cache_file.h - files below the home directory's `cache`: replaced as a whole, worth
// nothing when lost.
//
//   <path>.new   write ── rename ──> <path>
//
// No fsync: a power cut may leave a file empty or short, so every reader checks what it finds.
// Blocks on the disk. Thread: one.
#pragma once

#include <cstddef>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/cursor.h"

namespace sluice::sets {

/// Nothing, or a sentence that names the file.
using Written = std::expected<void, std::string>;

/// The pieces one after the other, mode 0600. Its directory and the one above are made.
[[nodiscard]] Written write_cache_file(const std::string& path,
                                       std::initializer_list<ByteView> pieces);

/// Names in a directory, without those that begin with a dot; none when there is no directory.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

}  // namespace sluice::sets
