#include "controlplane/ruleformats/unpack.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "controlplane/ruleformats/bounds.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kFirstRoom_bytes = std::size_t{64} << 10;
constexpr int kZstdLevel = 9;
constexpr std::string_view kTooLarge = "unpacks to more than a rule file may";
constexpr std::string_view kEndsEarly = "ends within its compressed data";
constexpr std::string_view kTrailing = "has bytes after its compressed data";
constexpr std::string_view kNoRoom = "needs more memory than there is";

/// Output that doubles until the limit.
class Output {
 public:
  explicit Output(std::size_t limit) : limit_(limit) {}

  /// False when the limit is reached.
  bool grow() {
    if (bytes_.size() >= limit_) return false;
    bytes_.resize(std::min(limit_, std::max(kFirstRoom_bytes, bytes_.size() * 2)));
    return true;
  }
  [[nodiscard]] ByteSpan room() noexcept { return ByteSpan(bytes_).subspan(used_); }
  void use(std::size_t count) noexcept { used_ += count; }
  std::vector<std::byte> take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::size_t limit_;
};

struct InflateEnd {
  void operator()(z_stream* stream) const noexcept { inflateEnd(stream); }
};

/// Runs until the stream wants what is not there. Z_STREAM_END: whole. Z_BUF_ERROR: input used up.
int inflate_some(z_stream& stream, Output& out) {
  const ByteSpan room = out.room();
  const auto step = static_cast<uInt>(std::min<std::size_t>(room.size(), UINT_MAX));
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = step;
  const int code = inflate(&stream, Z_NO_FLUSH);
  out.use(step - stream.avail_out);
  return code;
}

}  // namespace

Outcome<std::vector<std::byte>> unpack_zlib(ByteView packed, std::size_t plain_bytes) {
  if (packed.size() > UINT_MAX) return refuse(Errc::too_large, 0, kTooLarge);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return refuse(Errc::no_room, 0, kNoRoom);
  const std::unique_ptr<z_stream, InflateEnd> end(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  Output out(plain_bytes);
  for (;;) {
    // A stream of exactly the limit still has its checksum to read: one try without room is
    // allowed.
    const bool limit = out.room().empty() && !out.grow();
    const int code = inflate_some(stream, out);
    const std::uint64_t at = packed.size() - stream.avail_in;
    if (code == Z_STREAM_END) break;
    if (code == Z_BUF_ERROR && stream.avail_in == 0) return refuse(Errc::truncated, at, kEndsEarly);
    if (code != Z_OK && code != Z_BUF_ERROR)
      return refuse(Errc::malformed, at, "is damaged within its zlib data");
    if (limit && stream.avail_out == 0 && code == Z_BUF_ERROR)
      return refuse(Errc::too_large, at, kTooLarge);
  }
  if (stream.avail_in > 0)
    return refuse(Errc::malformed, packed.size() - stream.avail_in, kTrailing);
  return out.take();
}

namespace {

std::unexpected<Refusal> zstd_refusal(std::size_t result, std::size_t at) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
    return refuse(Errc::too_large, at, "asks for more memory than a rule file may");
  if (at == 0) return refuse(Errc::malformed, 0, "is not a zstd file, or is damaged");
  return refuse(Errc::malformed, at, "is damaged within its zstd data");
}

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

}  // namespace

Outcome<std::vector<std::byte>> unpack_zstd(ByteView packed, std::size_t plain_bytes) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) return refuse(Errc::no_room, 0, kNoRoom);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  Output out(plain_bytes);
  // `pending` is 0 exactly between frames.
  std::size_t pending = 1;
  while (in.pos < in.size || pending != 0) {
    const bool limit = out.room().empty() && !out.grow();
    const ByteSpan room = out.room();
    ZSTD_outBuffer step{room.data(), room.size(), 0};
    const std::size_t read_before = in.pos;
    pending = ZSTD_decompressStream(context.get(), &step, &in);
    if (ZSTD_isError(pending) != 0) return zstd_refusal(pending, read_before);
    out.use(step.pos);
    const bool stuck = step.pos == 0 && in.pos == read_before;
    if (pending != 0 && limit && stuck) return refuse(Errc::too_large, in.pos, kTooLarge);
    if (pending != 0 && in.pos == in.size && step.pos < step.size)
      return refuse(Errc::truncated, in.pos, kEndsEarly);
  }
  return out.take();
}

Result<std::vector<std::byte>> pack_zstd(ByteView plain) {
  std::vector<std::byte> out(ZSTD_compressBound(plain.size()));
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return fail(Errc::no_room);
  out.resize(size);
  return out;
}

}  // namespace sluice::ruleformats
