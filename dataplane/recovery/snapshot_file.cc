#include "dataplane/recovery/snapshot_file.h"

#include <algorithm>

#include "dataplane/recovery/blob_file.h"
#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/file.h"
#include "proto/wire/manifest_bytes.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kSnapshotMagic = "SLSNAP02";
constexpr std::size_t kDigest = sizeof(contract::Digest);

/// Bytes of the head, its writer made to its exact size.
std::vector<std::byte> snapshot_head(std::string_view manifest,
                                     const std::vector<contract::BlobPtr>& blobs) {
  std::vector<std::byte> head(kSnapshotMagic.size() + 12 + kDigest * blobs.size());
  Writer out{head};
  out.text(kSnapshotMagic);
  out.u64be(manifest.size());
  out.u32be(static_cast<std::uint32_t>(blobs.size()));
  for (const contract::BlobPtr& blob : blobs) out.bytes(blob->digest);
  return head;
}

std::vector<contract::Digest> take_digests(Reader& in, std::uint32_t count) {
  std::vector<contract::Digest> out;
  for (std::uint32_t i = 0; i < count && !in.short_read(); ++i)
    std::ranges::copy(in.take(kDigest), out.emplace_back().begin());
  return out;
}

}  // namespace

Result<Snapshot> decode_snapshot(ByteView file, const std::string& dir) {
  Reader in{file};
  if (as_text(in.take(kSnapshotMagic.size())) != kSnapshotMagic) return fail(Errc::malformed);
  const std::uint64_t manifest_size = in.u64be();
  const std::uint32_t count = in.u32be();
  if (in.short_read()) return fail(Errc::truncated);
  if (manifest_size > kMaxManifest || count > kMaxBlobs) return fail(Errc::malformed);
  const std::vector<contract::Digest> names = take_digests(in, count);
  const ByteView manifest_bytes = in.take(static_cast<std::size_t>(manifest_size));
  const std::size_t checked = in.position();
  const ByteView check = in.take(kDigest);
  if (in.short_read()) return fail(Errc::truncated);
  const contract::Digest found = contract::digest_of(file.first(checked));
  if (!std::ranges::equal(check, found) || in.left() != 0) return fail(Errc::malformed);
  auto manifest = wire::manifest_from_bytes(manifest_bytes);
  if (!manifest || contract::blobs_of(*manifest) != names) return fail(Errc::malformed);
  Snapshot out{std::move(*manifest), {}, found};
  for (const contract::Digest& name : names) {
    auto blob = open_blob(dir, name);
    if (!blob) return fail(blob.error());
    out.blobs.push_back(std::move(*blob));
  }
  return out;
}

Result<contract::Digest> save_snapshot(const std::string& dir, std::string_view manifest,
                                       const std::vector<contract::BlobPtr>& blobs) {
  // Before the snapshot that names them, whenever the process ends.
  for (const contract::BlobPtr& blob : blobs)
    if (const Status kept = keep_blob(dir, *blob); !kept) return fail(kept.error());
  const std::vector<std::byte> head = snapshot_head(manifest, blobs);
  contract::DigestStream stream;
  stream.update(head);
  stream.update(as_byte_view(manifest));
  const contract::Digest check = stream.finish();
  if (const Status saved = replace_file(dir + "/snapshot", {head, as_byte_view(manifest), check});
      !saved)
    return fail(saved.error());
  keep_only_blobs(dir, blobs);
  return check;
}

}  // namespace sluice::recovery
