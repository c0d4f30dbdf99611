#include "dataplane/flow/unbuilt_log.h"

#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/common/log.h"

namespace sluice::flow {

std::string describe_unbuilt(const contract::Outbound& proxy) {
  return "proxy " + proxy.name + " (type " + proxy.type_name +
         "): its type or one of its options is not built in";
}

void UnbuiltLog::refused(const contract::Outbound& proxy, Moment now) {
  // Names of former configurations would stay for ever otherwise.
  if (told_.size() >= kUnbuiltTold && !told_.contains(proxy.name)) told_.clear();
  Told& told = told_[proxy.name];
  ++told.untold;
  if (now < told.quiet_until) return;
  told.quiet_until = now + kUnbuiltWarning;
  const std::uint64_t count = std::exchange(told.untold, 0);
  SLUICE_LOG(warning, "flow", "%s: %llu flow%s refused", describe_unbuilt(proxy).c_str(),
             static_cast<unsigned long long>(count), count == 1 ? "" : "s");
}

}  // namespace sluice::flow
