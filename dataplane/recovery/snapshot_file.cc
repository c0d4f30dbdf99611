#include "dataplane/recovery/snapshot_file.h"

#include <algorithm>

#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/file.h"
#include "proto/wire/manifest_bytes.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kSnapshotMagic = "SLSNAP01";
constexpr std::size_t kDigest = sizeof(contract::Digest);
constexpr std::size_t kBlobHead = kDigest + 8;

struct BlobHead {
  contract::Digest digest{};
  std::uint64_t size = 0;
};

/// Bytes of the head, its writer made to its exact size.
std::vector<std::byte> snapshot_head(std::string_view manifest,
                                     const std::vector<contract::BlobPtr>& blobs) {
  std::vector<std::byte> head(kSnapshotMagic.size() + 12 + kBlobHead * blobs.size());
  Writer out{head};
  out.text(kSnapshotMagic);
  out.u64be(manifest.size());
  out.u32be(static_cast<std::uint32_t>(blobs.size()));
  for (const contract::BlobPtr& blob : blobs) {
    out.bytes(blob->digest);
    out.u64be(blob->bytes.size());
  }
  return head;
}

Result<std::vector<contract::BlobPtr>> take_blobs(Reader& in, const std::vector<BlobHead>& heads) {
  std::vector<contract::BlobPtr> out;
  for (const BlobHead& head : heads) {
    if (head.size > in.left()) return fail(Errc::truncated);
    const ByteView bytes = in.take(static_cast<std::size_t>(head.size));
    if (contract::digest_of(bytes) != head.digest) return fail(Errc::malformed);
    out.push_back(
        contract::make_blob(head.digest, std::vector<std::byte>(bytes.begin(), bytes.end())));
  }
  return out;
}

}  // namespace

Result<Snapshot> decode_snapshot(ByteView file) {
  Reader in{file};
  if (as_text(in.take(kSnapshotMagic.size())) != kSnapshotMagic) return fail(Errc::malformed);
  const std::uint64_t manifest_size = in.u64be();
  const std::uint32_t count = in.u32be();
  if (in.short_read()) return fail(Errc::truncated);
  if (manifest_size > kMaxManifest || count > kMaxBlobs) return fail(Errc::malformed);
  std::vector<BlobHead> heads;
  for (std::uint32_t i = 0; i < count && !in.short_read(); ++i) {
    BlobHead head;
    const ByteView digest = in.take(kDigest);
    std::ranges::copy(digest, head.digest.begin());
    head.size = in.u64be();
    heads.push_back(head);
  }
  const ByteView manifest_bytes = in.take(static_cast<std::size_t>(manifest_size));
  const std::size_t checked = in.position();
  const ByteView check = in.take(kDigest);
  if (in.short_read()) return fail(Errc::truncated);
  const contract::Digest found = contract::digest_of(file.first(checked));
  if (!std::ranges::equal(check, found)) return fail(Errc::malformed);
  auto manifest = wire::manifest_from_bytes(manifest_bytes);
  if (!manifest) return fail(Errc::malformed);
  auto blobs = take_blobs(in, heads);
  if (!blobs) return fail(blobs.error());
  const auto needed = contract::blobs_of(*manifest);
  const bool complete = std::ranges::equal(
      needed, *blobs, {}, {}, [](const contract::BlobPtr& blob) { return blob->digest; });
  if (!complete || in.left() != 0) return fail(Errc::malformed);
  return Snapshot{std::move(*manifest), std::move(*blobs), found};
}

Result<contract::Digest> save_snapshot(const std::string& dir, std::string_view manifest,
                                       const std::vector<contract::BlobPtr>& blobs) {
  const std::vector<std::byte> head = snapshot_head(manifest, blobs);
  contract::DigestStream stream;
  stream.update(head);
  stream.update(as_byte_view(manifest));
  const contract::Digest check = stream.finish();
  std::vector<ByteView> pieces{head, as_byte_view(manifest), check};
  for (const contract::BlobPtr& blob : blobs) pieces.emplace_back(blob->bytes);
  if (const Status saved = replace_file(dir + "/snapshot", pieces); !saved)
    return fail(saved.error());
  return check;
}

}  // namespace sluice::recovery
