// control/apply_assembly.h - the parts of one Apply, put together and checked.
//
//   head -> manifest pieces (exactly manifest_size; decoded when whole, and it must need each blob
//   of the head) -> blob pieces (each exactly its size, its digest checked as the last byte
//   arrives) -> finish()
//
// Blobs go straight into the run directory; nothing else outside changes. Whoever throws a refused
// assembly away removes those that came: all are of the manifest, or ended the assembly. Memory is
// bounded by what the head promised, which is bounded by wire/bounds.h, and grows only with bytes
// that really came.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/control/held_blobs.h"
#include "dataplane/recovery/blob_file.h"
#include "proto/contract/blob.h"
#include "proto/contract/manifest.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::control {

struct Assembled {
  std::string manifest_bytes;  ///< as they came
  contract::Manifest manifest;
  std::vector<contract::BlobPtr> blobs;  ///< all that the manifest needs, in its order
};

class ApplyAssembly {
 public:
  /// Blobs are kept in `dir`.
  explicit ApplyAssembly(std::string dir) : dir_(std::move(dir)) {}
  /// After a refusal the assembly must not be used again.
  [[nodiscard]] wire::Decoded<void> add(const v1::ApplyPart& part);
  /// Once the stream has ended. `held` are the blobs that need not be sent.
  [[nodiscard]] wire::Decoded<Assembled> finish(const BlobTable& held);
  /// Whole blobs so far.
  [[nodiscard]] const BlobTable& came() const noexcept { return came_; }

 private:
  struct Coming {
    contract::Digest digest{};
    std::uint64_t size = 0;
  };
  [[nodiscard]] wire::Decoded<void> begin(const v1::ApplyHead& head);
  [[nodiscard]] wire::Decoded<void> add_manifest(const std::string& piece);
  [[nodiscard]] wire::Decoded<void> decode_manifest();
  [[nodiscard]] wire::Decoded<void> add_blob(const std::string& piece);
  [[nodiscard]] wire::Decoded<void> complete_blobs();
  [[nodiscard]] wire::Decoded<void> not_kept(const Error& why) const;
  [[nodiscard]] static std::string blob_place(std::size_t index);

  std::string dir_;
  bool begun_ = false;
  std::uint64_t manifest_size_ = 0;
  std::string manifest_bytes_;
  contract::Manifest manifest_;  ///< once its bytes are whole
  std::vector<Coming> coming_;
  std::size_t current_ = 0;                     ///< position in `coming_`
  std::unique_ptr<recovery::BlobWriter> blob_;  ///< of the current one
  BlobTable came_;
};

}  // namespace sluice::control
