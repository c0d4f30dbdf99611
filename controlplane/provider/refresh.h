// provider/refresh.h - one look for newer bytes: how it goes, and how it ended.
#pragma once

#include <cstdint>
#include <string>

#include "controlplane/provider/fetcher.h"

namespace sluice::provider {

enum class Outcome : std::uint8_t { updated, not_modified, failed };

struct RefreshResult {
  Outcome outcome = Outcome::failed;
  /// failed: what each mirror or the file came to. updated: what the user should still know, most
  /// often nothing. No secrets.
  std::string reason;
};

/// Follows one refresh; dropped by its owner when it no longer cares. Must not destroy the
/// provider. Thread: the loop's.
class RefreshObserver {
 public:
  RefreshObserver() = default;
  RefreshObserver(const RefreshObserver&) = delete;
  RefreshObserver& operator=(const RefreshObserver&) = delete;
  virtual ~RefreshObserver() = default;
  /// At most every kProgressEvery.
  virtual void progress(const FetchProgress& progress) = 0;
  /// Once, the last call.
  virtual void finished(const RefreshResult& result) = 0;
};

}  // namespace sluice::provider
