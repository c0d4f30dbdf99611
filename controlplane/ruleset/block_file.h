// ruleset/block_file.h - the bytes of a cached block's file, see block_cache.h. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "controlplane/ruleset/set_problem.h"
#include "proto/common/cursor.h"
#include "proto/contract/digest.h"

namespace sluice::sets {

/// A view into the file.
struct BlockFile {
  contract::Digest digest{};
  ByteView block;
  std::vector<SetProblem> problems;
};

/// What stands before and behind the block.
struct BlockFrame {
  std::vector<std::byte> head;
  std::vector<std::byte> tail;
};
/// Of the problems those that are of content, at most kMaxProblems.
[[nodiscard]] BlockFrame frame_block(const contract::Digest& key, const contract::Digest& digest,
                                     ByteView block, std::span<const SetProblem> problems);

/// Nothing when the file is damaged, of another version or format of blocks, or of another key.
[[nodiscard]] std::optional<BlockFile> open_block_file(ByteView file, const contract::Digest& key);

}  // namespace sluice::sets
