// provider/unzip.h - a gzip stream, decoded as it comes, up to a limit.
//
// libcurl decodes too, but takes a stream that ends early for a whole one, and would decode what it
// was not asked for. Owner: one transfer. Thread: the loop's.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::provider {

/// RFC 1952; several members in a row are one content.
class Unzip {
 public:
  Unzip();
  Unzip(const Unzip&) = delete;
  Unzip& operator=(const Unzip&) = delete;
  ~Unzip();

  /// Appends the content of `packed` to `out`, which never grows beyond `most` bytes. A failed one
  /// must not be used again. Errors: too_large, malformed, no_room.
  [[nodiscard]] Status feed(std::string_view packed, std::string& out, std::size_t most);
  /// Whether what came so far is one or more whole members.
  [[nodiscard]] bool whole() const noexcept { return begun_ && between_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool begun_ = false;
  bool between_ = true;  ///< no member is open
};

}  // namespace sluice::provider
