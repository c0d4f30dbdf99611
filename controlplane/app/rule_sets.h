// app/rule_sets.h - the providers of the running configuration: what fetches and watches the files
// of its sets.
//
//   follow(running) ── new ones start, gone ones end, the others go on
//   new content ── accept (work thread) ── kept on disk ── changed() ──> compile again
//
// Owner: ControlPlane. Thread: home; consumers' accept() on the work thread.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/app/prepare.h"
#include "controlplane/app/preparer.h"
#include "controlplane/app/provider_updates.h"
#include "controlplane/app/server_names.h"
#include "controlplane/app/set_consumer.h"
#include "controlplane/app/work_thread.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "controlplane/provider/downloader.h"
#include "controlplane/provider/provider.h"

namespace sluice::control_plane {

class RuleSets {
 public:
  struct Parts {
    Loop& home;
    WorkThread& work;
    dns::Dns& names;
    Preparer& preparer;
    std::string dial_socket;
    /// The content in force is no longer the one that was compiled.
    std::function<void()> changed;
  };
  /// What the parts refer to outlives it.
  explicit RuleSets(Parts parts);
  RuleSets(const RuleSets&) = delete;
  RuleSets& operator=(const RuleSets&) = delete;
  ~RuleSets();

  /// `running` is in force.
  void follow(const RunningPtr& running);
  /// Rule providers in file order.
  [[nodiscard]] std::vector<manage::RuleProviderReport> report() const;
  /// "rule provider ads has nothing yet": sets that match nothing now, in file order.
  [[nodiscard]] std::vector<std::string> empty_ones() const;
  /// Looks for newer content of these (rule providers and "geosite", "geoip", "mmdb", "asn"), or of
  /// all when `names` is empty.
  void update(const std::vector<std::string>& names,
              const manage::WatcherPtr<manage::ProviderProgress>& watcher);

 private:
  struct Entry {
    SetSource source;
    std::shared_ptr<SetConsumer> consumer;
    std::unique_ptr<provider::Provider> provider;
  };
  [[nodiscard]] std::unique_ptr<Entry> start(const RunningSet& set);
  [[nodiscard]] Entry* find(std::string_view name) const;
  [[nodiscard]] std::string unknown(const std::string& name) const;

  Parts parts_;
  ServerNames server_names_;
  provider::Downloader downloader_;
  ProviderUpdates updates_;
  std::vector<std::unique_ptr<Entry>> entries_;  // last: their downloads use the members above
};

}  // namespace sluice::control_plane
