#include "controlplane/app/provider_updates.h"

#include <algorithm>
#include <utility>

namespace sluice::control_plane {

using State = manage::ProviderProgress::State;

class ProviderUpdates::One final : public provider::RefreshObserver {
 public:
  One(Round& round, std::string name) : round_(round), name_(std::move(name)) {}

  void progress(const provider::FetchProgress& progress) override {
    last_ = progress;
    tell(State::running, {});
  }
  void finished(const provider::RefreshResult& result) override;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool over() const noexcept { return over_; }

 private:
  void tell(State state, std::string reason);

  Round& round_;
  const std::string name_;
  provider::FetchProgress last_;
  bool over_ = false;
};

struct ProviderUpdates::Round : std::enable_shared_from_this<Round> {
  Round(ProviderUpdates& of, manage::WatcherPtr<manage::ProviderProgress> to)
      : updates(of), watcher(std::move(to)) {}

  /// The last one ended; whoever called is still at work, so this goes later.
  void end_if_over() {
    if (!std::ranges::all_of(ones, [](const auto& one) { return one->over(); })) return;
    watcher->end();
    updates.home_.post(
        make_job([&all = updates.rounds_, self = shared_from_this()] { all.remove(self); }));
  }

  ProviderUpdates& updates;
  manage::WatcherPtr<manage::ProviderProgress> watcher;
  std::vector<std::shared_ptr<One>> ones;
};

void ProviderUpdates::One::finished(const provider::RefreshResult& result) {
  if (std::exchange(over_, true)) return;
  switch (result.outcome) {
    case provider::Outcome::updated:
      tell(State::updated, result.reason);
      break;
    case provider::Outcome::not_modified:
      tell(State::not_modified, {});
      break;
    case provider::Outcome::failed:
      tell(State::failed, result.reason);
      break;
  }
  round_.end_if_over();
}

void ProviderUpdates::One::tell(State state, std::string reason) {
  // A reader that left makes no difference: the refresh goes on.
  (void)round_.watcher->push({name_, state, last_.size, last_.total, std::move(reason)});
}

ProviderUpdates::~ProviderUpdates() {
  for (const auto& round : rounds_)
    round->watcher->end({manage::FaultKind::unavailable, "the router is stopping"});
}

std::vector<std::weak_ptr<provider::RefreshObserver>> ProviderUpdates::begin(
    const std::vector<std::string>& names, manage::WatcherPtr<manage::ProviderProgress> watcher) {
  std::vector<std::weak_ptr<provider::RefreshObserver>> out;
  if (names.empty()) {
    watcher->end();
    return out;
  }
  auto round = std::make_shared<Round>(*this, std::move(watcher));
  for (const std::string& name : names) {
    round->ones.push_back(std::make_shared<One>(*round, name));
    out.push_back(round->ones.back());
  }
  rounds_.push_back(std::move(round));
  return out;
}

void ProviderUpdates::gone(const std::string& name) {
  const auto rounds = rounds_;
  for (const auto& round : rounds)
    for (const auto& one : round->ones)
      if (one->name() == name)
        one->finished({provider::Outcome::failed, "the configuration no longer has it"});
}

}  // namespace sluice::control_plane
