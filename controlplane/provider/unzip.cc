#include "controlplane/provider/unzip.h"

#include <array>

namespace sluice::provider {
namespace {

/// The largest window, and a gzip header (not a zlib one) is wanted.
constexpr int kGzipWindow = 15 + 16;

}  // namespace

Unzip::Unzip() : ready_(inflateInit2(&stream_, kGzipWindow) == Z_OK) {}

Unzip::~Unzip() {
  if (ready_) inflateEnd(&stream_);
}

Status Unzip::feed(std::string_view packed, std::string& out, std::size_t most) {
  if (!ready_) return fail(Errc::no_room);
  std::array<char, 16384> plain;
  // zlib does not write through next_in.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream_.avail_in = static_cast<uInt>(packed.size());
  do {
    if (between_ && stream_.avail_in == 0) return {};
    if (between_) inflateReset(&stream_);
    begun_ = true;
    stream_.next_out = reinterpret_cast<Bytef*>(plain.data());
    stream_.avail_out = plain.size();
    const int rc = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t made = plain.size() - stream_.avail_out;
    if (made > most - out.size()) return fail(Errc::too_large, Side::upstream);
    out.append(plain.data(), made);
    between_ = rc == Z_STREAM_END;
    if (rc == Z_MEM_ERROR) return fail(Errc::no_room);
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
      return fail(Errc::malformed, Side::upstream);
  } while (stream_.avail_in > 0 || stream_.avail_out == 0);
  return {};
}

}  // namespace sluice::provider
