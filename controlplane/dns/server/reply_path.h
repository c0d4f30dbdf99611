// dns/server/reply_path.h - where the reply to one query goes, however late it is.
#pragma once

#include "proto/common/cursor.h"

namespace sluice::dns {

class ReplyPath {
 public:
  ReplyPath() = default;
  ReplyPath(const ReplyPath&) = delete;
  ReplyPath& operator=(const ReplyPath&) = delete;
  virtual ~ReplyPath() = default;
  /// At most once per query that is pending. No effect when the client or its listener is gone.
  virtual void send(ByteView message) noexcept = 0;
};

}  // namespace sluice::dns
