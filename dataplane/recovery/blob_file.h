// recovery/blob_file.h - a blob's bytes as a file of the run directory: the only copy there is.
//
//   pieces ──> blob.new ── whole ──> <64 digits: digest>.blob ── mapped, read only ──> Blob
//
// Rules are matched in the bytes that a restart finds. What was checked of them stays true: nobody
// writes to the file once it has its name, mode and folder keep other users from it, and removing
// it leaves the mapping whole.
//
// Where the folder takes no more, a blob is held in memory: it works, and save_snapshot() says what
// is missing. Thread: the control thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/contract/blob.h"

namespace sluice::recovery {

/// Takes the bytes of one blob as they come. One at a time in a folder. Destroyed before finish()
/// it leaves nothing behind.
class BlobWriter {
 public:
  explicit BlobWriter(std::string dir) : dir_(std::move(dir)) {}
  BlobWriter(const BlobWriter&) = delete;
  BlobWriter& operator=(const BlobWriter&) = delete;
  ~BlobWriter();

  /// Errors: system (what was written cannot be read again); the writer is then of no use.
  [[nodiscard]] Status write(ByteView piece);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The blob, named by its bytes. Once. Errors: system.
  [[nodiscard]] Result<contract::BlobPtr> finish();

 private:
  [[nodiscard]] std::string temporary() const { return dir_ + "/blob.new"; }
  [[nodiscard]] Status move_to_memory();

  std::string dir_;
  contract::DigestStream digest_;
  std::uint64_t size_ = 0;
  UniqueFd file_;                  ///< open while the bytes go there
  std::vector<std::byte> memory_;  ///< those that no file took
};

/// The kept blob of this name. Errors: not_found, system, malformed (its bytes are others).
[[nodiscard]] Result<contract::BlobPtr> open_blob(const std::string& dir,
                                                  const contract::Digest& digest);

/// Makes sure that a file holds it. Errors: no_room, system.
[[nodiscard]] Status keep_blob(const std::string& dir, const contract::Blob& blob);

void remove_blob(const std::string& dir, const contract::Digest& digest) noexcept;

/// Removes every blob of the folder but these, and what an interrupted writer left.
void keep_only_blobs(const std::string& dir, std::span<const contract::BlobPtr> kept);

}  // namespace sluice::recovery
