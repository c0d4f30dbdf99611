#include "dataplane/control/apply_assembly.h"

#include <algorithm>
#include <utility>

#include "proto/common/error_text.h"
#include "proto/wire/bounds.h"
#include "proto/wire/manifest_bytes.h"
#include "proto/wire/scope.h"

namespace sluice::control {

wire::Decoded<void> ApplyAssembly::add(const v1::ApplyPart& part) {
  switch (part.part_case()) {
    case v1::ApplyPart::kHead:
      return begin(part.head());
    case v1::ApplyPart::kManifest:
      return add_manifest(part.manifest());
    case v1::ApplyPart::kBlob:
      return add_blob(part.blob());
    case v1::ApplyPart::PART_NOT_SET:
      break;
  }
  return wire::refuse("part", "is of no known kind");
}

wire::Decoded<void> ApplyAssembly::begin(const v1::ApplyHead& head) {
  if (std::exchange(begun_, true)) return wire::refuse("head", "came twice");
  wire::Finding found;
  const wire::Scope root(found);
  const wire::Scope at(root, "head");
  if (head.manifest_size() == 0) at.refuse("manifest_size", "is 0");
  if (head.manifest_size() > wire::kMaxManifest) at.refuse("manifest_size", "is above 64 MiB");
  manifest_size_ = head.manifest_size();
  std::uint64_t total = 0;
  if (at.fits(static_cast<std::size_t>(head.blobs_size()), "blobs", wire::kMaxBlobs)) {
    for (const v1::BlobHead& blob : head.blobs()) {
      const wire::Scope item(at, "blobs", coming_.size());
      coming_.push_back({item.digest(blob.digest(), "digest"), blob.size()});
      if (blob.size() > wire::kMaxBlobTotal - total) {
        item.refuse("size", "brings all blobs together above 256 MiB");
        break;
      }
      total += blob.size();
    }
  }
  if (found.first) return std::unexpected<wire::Refusal>(std::move(*found.first));
  return {};
}

wire::Decoded<void> ApplyAssembly::add_manifest(const std::string& piece) {
  if (!begun_) return wire::refuse("head", "did not come first");
  if (piece.empty() || piece.size() > wire::kMaxPiece)
    return wire::refuse("manifest", "has a piece that is not of 1 to 262144 bytes");
  if (piece.size() > manifest_size_ - manifest_bytes_.size())
    return wire::refuse("manifest", "is longer than its head says");
  manifest_bytes_ += piece;
  return manifest_bytes_.size() == manifest_size_ ? decode_manifest() : wire::Decoded<void>{};
}

/// What the manifest does not need must not come: nobody would remove it again.
wire::Decoded<void> ApplyAssembly::decode_manifest() {
  auto manifest = wire::manifest_from_bytes(as_byte_view(manifest_bytes_));
  if (!manifest) return std::unexpected<wire::Refusal>(std::move(manifest.error()));
  manifest_ = std::move(*manifest);
  const std::vector<contract::Digest> needed = contract::blobs_of(manifest_);
  for (std::size_t i = 0; i < coming_.size(); ++i)
    if (std::ranges::find(needed, coming_[i].digest) == needed.end())
      return wire::refuse(blob_place(i), "is of no blob that the manifest needs");
  return complete_blobs();
}

wire::Decoded<void> ApplyAssembly::add_blob(const std::string& piece) {
  if (!begun_ || manifest_bytes_.size() != manifest_size_)
    return wire::refuse("blob", "came before the manifest was whole");
  if (current_ == coming_.size()) return wire::refuse("blob", "came beyond those of the head");
  if (piece.empty() || piece.size() > wire::kMaxPiece)
    return wire::refuse(blob_place(current_), "has a piece that is not of 1 to 262144 bytes");
  if (piece.size() > coming_[current_].size - blob_->size())
    return wire::refuse(blob_place(current_), "is longer than its head says");
  if (const Status written = blob_->write(as_byte_view(piece)); !written)
    return not_kept(written.error());
  return complete_blobs();
}

/// Takes the current blob if it is whole, and empty ones after it.
wire::Decoded<void> ApplyAssembly::complete_blobs() {
  while (current_ < coming_.size()) {
    if (blob_ == nullptr) blob_ = std::make_unique<recovery::BlobWriter>(dir_);
    if (blob_->size() != coming_[current_].size) break;
    auto blob = blob_->finish();
    blob_.reset();
    if (!blob) return not_kept(blob.error());
    const bool as_said = (*blob)->digest == coming_[current_].digest;
    came_.insert_or_assign((*blob)->digest, std::move(*blob));
    if (!as_said) return wire::refuse(blob_place(current_), "has other bytes than its digest says");
    ++current_;
  }
  return {};
}

wire::Decoded<void> ApplyAssembly::not_kept(const Error& why) const {
  return wire::refuse(blob_place(current_), "cannot be kept: " + describe(why));
}

std::string ApplyAssembly::blob_place(std::size_t index) {
  return "head.blobs[" + std::to_string(index) + "]";
}

wire::Decoded<Assembled> ApplyAssembly::finish(const BlobTable& held) {
  if (!begun_) return wire::refuse("head", "did not come");
  if (manifest_bytes_.size() != manifest_size_)
    return wire::refuse("manifest", "ended after " + std::to_string(manifest_bytes_.size()) +
                                        " of " + std::to_string(manifest_size_) + " bytes");
  if (current_ != coming_.size()) return wire::refuse(blob_place(current_), "did not come in full");
  Assembled out{std::move(manifest_bytes_), std::move(manifest_), {}};
  for (const contract::Digest& digest : contract::blobs_of(out.manifest)) {
    BlobTable::const_iterator found = came_.find(digest);
    if (found == came_.cend()) {
      found = held.find(digest);
      if (found == held.cend())
        return wire::refuse("ruleset",
                            "blob " + contract::to_text(digest) + " was neither sent nor held");
    }
    out.blobs.push_back(found->second);
  }
  return out;
}

}  // namespace sluice::control
