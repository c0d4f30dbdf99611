#include "controlplane/app/disabled_rules.h"

#include <string_view>
#include <unordered_map>

namespace sluice::control_plane {
namespace {

/// Names of all lines of a manifest, front to back; a text holds no NUL.
class LineKeys {
 public:
  explicit LineKeys(const contract::Manifest& manifest) : manifest_(manifest) {}

  [[nodiscard]] std::string next() {
    const contract::RuleLine& line = manifest_.rules[index_++];
    std::string key = line.list;
    for (const std::string_view part : {std::string_view(line.type), std::string_view(line.payload),
                                        std::string_view(manifest_.outbounds[line.outbound].name)})
      key.append(1, '\0').append(part);
    const std::uint32_t equal_before = seen_[key]++;
    return key.append(1, '\0').append(std::to_string(equal_before));
  }

 private:
  const contract::Manifest& manifest_;
  std::size_t index_ = 0;
  std::unordered_map<std::string, std::uint32_t> seen_;
};

}  // namespace

void DisabledRules::note(const contract::Manifest& manifest,
                         std::span<const contract::RuleSwitch> switches) {
  std::unordered_map<std::uint32_t, bool> wanted;
  for (const contract::RuleSwitch& one : switches) wanted[one.index] = one.disabled;
  LineKeys keys(manifest);
  for (std::uint32_t i = 0; i < manifest.rules.size(); ++i) {
    std::string key = keys.next();
    const auto found = wanted.find(i);
    if (found == wanted.end()) continue;
    if (found->second)
      off_.insert(std::move(key));
    else
      off_.erase(key);
  }
}

std::vector<contract::RuleSwitch> DisabledRules::switches(
    const contract::Manifest& manifest) const {
  std::vector<contract::RuleSwitch> out;
  if (off_.empty()) return out;
  LineKeys keys(manifest);
  for (std::uint32_t i = 0; i < manifest.rules.size(); ++i)
    if (off_.contains(keys.next())) out.push_back({i, true});
  return out;
}

}  // namespace sluice::control_plane
