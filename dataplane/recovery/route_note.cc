#include "dataplane/recovery/route_note.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/file.h"
#include "proto/contract/blob.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kMagic = "SLROUT01";
constexpr std::size_t kDigest = sizeof(contract::Digest);
constexpr std::size_t kNote = 16;

std::string path_in(const std::string& dir) {
  return dir + "/routes";
}

}  // namespace

Status save_routes(const std::string& dir, const std::vector<RouteNote>& notes) {
  if (notes.empty()) {
    if (::unlink(path_in(dir).c_str()) != 0 && errno != ENOENT) return fail_errno(errno);
    return {};
  }
  std::vector<std::byte> bytes(kMagic.size() + kNote * notes.size());
  Writer out{bytes};
  out.text(kMagic);
  for (const RouteNote& note : notes)
    for (const std::uint32_t number : {note.table, note.priority, note.mask, note.mark})
      out.u32be(number);
  const contract::Digest check = contract::digest_of(bytes);
  return replace_file(path_in(dir), {bytes, check});
}

Result<std::vector<RouteNote>> decode_routes(ByteView file) {
  if (file.size() < kMagic.size() + kDigest) return fail(Errc::malformed);
  const ByteView checked = file.first(file.size() - kDigest);
  if (!std::ranges::equal(file.last(kDigest), contract::digest_of(checked)))
    return fail(Errc::malformed);
  Reader in{checked};
  if (as_text(in.take(kMagic.size())) != kMagic) return fail(Errc::malformed);
  std::vector<RouteNote> out;
  while (in.left() != 0) {
    out.push_back({in.u32be(), in.u32be(), in.u32be(), in.u32be()});
    if (in.short_read() || out.size() > kMaxRouteNotes) return fail(Errc::malformed);
  }
  return out;
}

std::vector<RouteNote> load_routes(const std::string& dir) {
  {
    const auto file = MappedFile::open(path_in(dir));
    if (!file) return {};
    if (auto notes = decode_routes(file->bytes())) return std::move(*notes);
  }
  move_aside(path_in(dir));
  return {};
}

}  // namespace sluice::recovery
