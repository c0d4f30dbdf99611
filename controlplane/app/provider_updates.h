// app/provider_updates.h - who follows the refreshes that were asked for.
//
//   one request ── a Round ──┬─ One (provider ads)  ── progress, end ──┐
//                            └─ One (provider lan)  ── progress, end ──┴─> its stream
//
// Thread: home.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "controlplane/provider/refresh.h"
#include "proto/runtime/loop/loop.h"

namespace sluice::control_plane {

class ProviderUpdates {
 public:
  explicit ProviderUpdates(Loop& home) : home_(home) {}
  ProviderUpdates(const ProviderUpdates&) = delete;
  ProviderUpdates& operator=(const ProviderUpdates&) = delete;
  ~ProviderUpdates();

  /// One observer for each name, in order. The stream ends with the last of them.
  [[nodiscard]] std::vector<std::weak_ptr<provider::RefreshObserver>> begin(
      const std::vector<std::string>& names, manage::WatcherPtr<manage::ProviderProgress> watcher);
  /// The provider of that name is gone before it came to an end.
  void gone(const std::string& name);

 private:
  struct Round;
  class One;

  Loop& home_;
  std::list<std::shared_ptr<Round>> rounds_;
};

}  // namespace sluice::control_plane
