#include "dataplane/control/held_blobs.h"

#include "dataplane/recovery/blob_file.h"

namespace sluice::control {
namespace {

BlobTable table_of(const std::vector<contract::BlobPtr>& blobs) {
  BlobTable out;
  for (const contract::BlobPtr& blob : blobs) out.emplace(blob->digest, blob);
  return out;
}

}  // namespace

void HeldBlobs::found(const recovery::Snapshot& snapshot) {
  running_ = saved_ = table_of(snapshot.blobs);
}

Result<contract::Digest> HeldBlobs::accepted(std::string_view manifest_bytes,
                                             const std::vector<contract::BlobPtr>& blobs) {
  running_ = table_of(blobs);
  const auto saved = recovery::save_snapshot(run_dir_, manifest_bytes, blobs);
  if (saved) {
    saved_ = running_;
    return saved;
  }
  std::vector<contract::BlobPtr> kept = blobs;
  for (const auto& [digest, blob] : saved_) kept.push_back(blob);
  recovery::keep_only_blobs(run_dir_, kept);
  return saved;
}

void HeldBlobs::refused(const contract::Digest& blob) const noexcept {
  if (!running_.contains(blob) && !saved_.contains(blob)) recovery::remove_blob(run_dir_, blob);
}

}  // namespace sluice::control
