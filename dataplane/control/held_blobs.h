// control/held_blobs.h - which blobs the run directory keeps: those of what runs, and of what a
// restart would find.
//
//                            runs      saved     files of the run directory
//   1 accepted and saved     {A}       {A}       A
//   2 accepted, not saved    {B}       {A}       A B     A until a newer file is there
//   3 refused, A came again  {B}       {A}       A B
//   4 accepted and saved     {C}       {C}       C
//
// Thread: the control thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/recovery/snapshot_file.h"
#include "proto/common/result.h"
#include "proto/contract/blob.h"

namespace sluice::control {

using BlobTable = std::map<contract::Digest, contract::BlobPtr>;

class HeldBlobs {
 public:
  explicit HeldBlobs(std::string run_dir) : run_dir_(std::move(run_dir)) {}

  /// Of what runs: those that an Apply need not send.
  [[nodiscard]] const BlobTable& running() const noexcept { return running_; }
  /// At start: the snapshot of the run directory, which is to run.
  void found(const recovery::Snapshot& snapshot);
  /// An Apply was accepted that needs these and no others. Saves it, and removes what neither it
  /// nor the saved snapshot needs. The digest of the file. Errors: as save_snapshot(); the file
  /// that was there stays.
  [[nodiscard]] Result<contract::Digest> accepted(std::string_view manifest_bytes,
                                                  const std::vector<contract::BlobPtr>& blobs);
  /// An Apply was refused that brought this one: it goes, unless it is held.
  void refused(const contract::Digest& blob) const noexcept;

 private:
  std::string run_dir_;
  BlobTable running_;
  BlobTable saved_;  ///< of the file `snapshot`
};

}  // namespace sluice::control
