// recovery/choices_file.h - what Select chose since the last Apply, so that a restart decides the
// same.
//
//   "SLCHOI02" | digest of the snapshot(32) | { size(2) group | size(2) member }...
//   | SHA-256 of everything so far(32)                                          big endian
//
// Choices belong to one snapshot: a file that names another one (the process was killed between
// saving the two) says nothing about the groups of today.
#pragma once

#include <string>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/contract/blob.h"
#include "proto/contract/choice.h"

namespace sluice::recovery {

struct Choices {
  contract::Digest snapshot{};
  std::vector<contract::GroupChoice> made;
};

/// Replaces `dir`/choices, whole or not at all. Errors: no_room, system.
[[nodiscard]] Status save_choices(const std::string& dir, const Choices& choices);
/// Errors: malformed (not such a file, the check fails).
[[nodiscard]] Result<Choices> decode_choices(ByteView file);

}  // namespace sluice::recovery
