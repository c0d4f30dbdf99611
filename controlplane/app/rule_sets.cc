#include "controlplane/app/rule_sets.h"

#include <algorithm>
#include <random>
#include <utility>

#include "proto/common/clock.h"
#include "proto/contract/digest.h"

namespace sluice::control_plane {
namespace {

/// Digits of a digest that people compare.
constexpr std::size_t kShownDigits = 16;

provider::Random jitter() {
  return [engine = std::make_shared<std::minstd_rand>(std::random_device{}())] {
    return static_cast<std::uint32_t>((*engine)());
  };
}

/// As `rules update` names them; those that no rule needs have no entry.
bool is_geo_file(std::string_view name) noexcept {
  return name == "geosite" || name == "geoip" || name == "mmdb" || name == "asn";
}

}  // namespace

RuleSets::RuleSets(Parts parts)
    : parts_(std::move(parts)),
      server_names_(parts_.home, parts_.names),
      downloader_(parts_.home, parts_.work, server_names_, {parts_.dial_socket}),
      updates_(parts_.home) {}

RuleSets::~RuleSets() {
  for (const auto& entry : entries_) entry->consumer->retire();
}

std::unique_ptr<RuleSets::Entry> RuleSets::start(const RunningSet& set) {
  auto out = std::make_unique<Entry>();
  out->source = set.source;
  out->consumer = std::make_shared<SetConsumer>(parts_.preparer.shelf(), set.source.content,
                                                [this] { parts_.changed(); });
  out->provider = std::make_unique<provider::Provider>(
      provider::Surroundings{parts_.home, parts_.work, downloader_, jitter(), wall_ms},
      set.source.transfer, out->consumer);
  return out;
}

void RuleSets::follow(const RunningPtr& running) {
  auto before = std::exchange(entries_, {});
  std::vector<Entry*> fresh;
  for (const RunningSet& set : running->sets) {
    const auto same = std::ranges::find_if(
        before, [&](const auto& entry) { return entry && entry->source == set.source; });
    if (same != before.end()) {
      entries_.push_back(std::move(*same));
    } else {
      entries_.push_back(start(set));
      fresh.push_back(entries_.back().get());
    }
    entries_.back()->consumer->compiled(set.content);
  }
  for (const auto& entry : before) {
    if (!entry) continue;
    entry->consumer->retire();
    updates_.gone(entry->source.transfer.name);
  }
  before.clear();  // two that write one file must not be at once
  for (Entry* entry : fresh) entry->provider->start();
}

std::vector<manage::RuleProviderReport> RuleSets::report() const {
  std::vector<manage::RuleProviderReport> out;
  for (const auto& entry : entries_) {
    if (!sets::is_list(entry->source.content.kind)) continue;
    const provider::ProviderStatus& status = entry->provider->status();
    const SetConsumer::InForce& content = entry->consumer->in_force();
    manage::RuleProviderReport& row = out.emplace_back();
    row.name = entry->source.transfer.name;
    row.kind = entry->source.kind;
    row.behavior = entry->source.behavior;
    row.format = entry->source.format;
    row.in_force = status.in_force;
    row.entries = content.tally.entries;
    row.refused = content.tally.faults;
    row.changed_wall_ms = status.changed_ms;
    row.checked_wall_ms = status.checked_ms;
    row.next_wall_ms = status.next_ms;
    row.refreshing = status.refreshing;
    row.fault = status.fault;
    if (status.in_force) row.digest = contract::to_text(content.digest).substr(0, kShownDigits);
  }
  return out;
}

std::vector<std::string> RuleSets::empty_ones() const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) {
    const bool there = entry->provider->status().in_force;
    if (!there)
      out.push_back(sets::describe(entry->source.content) + " has nothing yet");
    else if (entry->consumer->in_force().tally.entries == 0)
      out.push_back(sets::describe(entry->source.content) + " has no entries");
  }
  return out;
}

RuleSets::Entry* RuleSets::find(std::string_view name) const {
  // Lists first: a user may call one "geosite".
  const auto found = std::ranges::find_if(
      entries_, [&](const auto& entry) { return entry->source.transfer.name == name; });
  return found == entries_.end() ? nullptr : found->get();
}

std::string RuleSets::unknown(const std::string& name) const {
  if (is_geo_file(name))
    return "no rule needs the " + name +
           " file, so it is neither fetched nor kept current; a GEOSITE, GEOIP or IP-ASN rule does";
  std::string out = "there is no rule provider \"" + name + "\"";
  std::string known;
  for (const auto& entry : entries_)
    known += (known.empty() ? "" : ", ") + entry->source.transfer.name;
  return out + (known.empty() ? "; the configuration has none" : "; there are " + known);
}

void RuleSets::update(const std::vector<std::string>& names,
                      const manage::WatcherPtr<manage::ProviderProgress>& watcher) {
  std::vector<Entry*> wanted;
  for (const std::string& name : names) {
    Entry* entry = find(name);
    if (entry == nullptr) return watcher->end({manage::FaultKind::not_found, unknown(name)});
    if (std::ranges::find(wanted, entry) == wanted.end()) wanted.push_back(entry);
  }
  if (names.empty())
    for (const auto& entry : entries_) wanted.push_back(entry.get());
  std::vector<std::string> told;
  for (const Entry* entry : wanted) told.push_back(entry->source.transfer.name);
  const auto observers = updates_.begin(told, watcher);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->provider->refresh_now(observers[i]);
}

}  // namespace sluice::control_plane
