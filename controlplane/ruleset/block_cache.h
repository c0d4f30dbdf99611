// ruleset/block_cache.h - finished blocks on disk, so that a restart compiles nothing.
//
//   HOME/cache/blocks/<64 digits: key>.block        little endian
//   "SLUICEBC"(8) version(4) problems(4) key(32) digest(32) block size(8)
//   hash of these, the block's header and the problems(8)
//   | block, 96 bytes into the file | problem...
//   problem   kind(1) size(2) set name, size(2) sentence
//
// What a hit costs is one pass over the bytes: the hash tells that the frame is ours and whole, the
// block's own checksum that the block is. The digest is taken from the header; the data plane
// hashes what it receives and checks every offset of it.
//
// Blocks on the disk. Thread: the work thread; the blobs may go anywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "controlplane/ruleset/set_problem.h"
#include "proto/contract/blob.h"

namespace sluice::sets {

struct CachedBlock {
  contract::BlobPtr blob;  ///< its bytes are the mapped file
  std::vector<SetProblem> problems;
};

class BlockCache {
 public:
  /// HOME/cache/blocks; made when something is written.
  explicit BlockCache(std::string directory) : directory_(std::move(directory)) {}

  /// Nothing when there is none; a file that is damaged or not ours is removed.
  [[nodiscard]] std::optional<CachedBlock> get(const contract::Digest& key);

  /// Keeps a block and those problems that are of content. Of all blocks the kKeptBlocks that were
  /// used last stay. The blob to go on with: the same bytes, mapped, so that the memory of `blob`
  /// can go; `blob` itself when it could not be kept.
  [[nodiscard]] contract::BlobPtr put(const contract::Digest& key, contract::BlobPtr blob,
                                      std::span<const SetProblem> problems);

  /// Once after things began to go wrong: why blocks cannot be kept.
  [[nodiscard]] std::optional<std::string> take_complaint();

 private:
  [[nodiscard]] std::string path_of(const contract::Digest& key) const;
  void remove_old() const;

  std::string directory_;
  std::string complaint_;
  bool complained_ = false;
};

}  // namespace sluice::sets
