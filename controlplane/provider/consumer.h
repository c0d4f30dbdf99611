// provider/consumer.h - who uses a provider's bytes: the rules, the databases, the nodes.
#pragma once

#include <expected>
#include <string>

#include "proto/common/cursor.h"

namespace sluice::provider {

/// Nothing, or one sentence why not: "line 3: `foo` is no prefix".
using Accepted = std::expected<void, std::string>;

/// Shared with jobs on the work thread: its end may come there, after the provider's. None of the
/// calls may destroy the provider.
class Consumer {
 public:
  Consumer() = default;
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  virtual ~Consumer() = default;

  /// Work thread. Reads `bytes`, which are gone afterwards, and keeps aside what it made of them
  /// until adopt(); the next accept() drops it.
  virtual Accepted accept(ByteView bytes) = 0;
  /// Work thread, right after accept() took `bytes`: they could not be stored, so nobody will find
  /// them on the disk. Keeps what it needs of them until the next accept() that succeeds.
  virtual void hold(ByteView bytes) = 0;
  /// Loop. What accept() took last is in force.
  virtual void adopt() = 0;
  /// Loop, once. What is here without the network has been tried; adopt() came before, or there is
  /// nothing yet.
  virtual void settled() = 0;
};

}  // namespace sluice::provider
