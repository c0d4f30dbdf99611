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
  if (told_.size() >= kUnbuiltTold && !told_.contains(proxy.name)) told_.clear();
  Told& told = told_[proxy.name];
  if (told.untold++ == 0) told.what = describe_unbuilt(proxy);
  if (now >= told.quiet_until) tell(told, now);
}

void UnbuiltLog::sweep(Moment now) {
  for (auto it = told_.begin(); it != told_.end();) {
    Told& told = it->second;
    const bool quiet = now < told.quiet_until;
    if (!quiet && told.untold == 0) {
      it = told_.erase(it);
      continue;
    }
    if (!quiet) tell(told, now);
    ++it;
  }
}

void UnbuiltLog::tell(Told& told, Moment now) {
  told.quiet_until = now + kUnbuiltWarning;
  const std::uint64_t count = std::exchange(told.untold, 0);
  SLUICE_LOG(warning, "flow", "%s: %llu flow%s refused", told.what.c_str(),
             static_cast<unsigned long long>(count), count == 1 ? "" : "s");
}

}  // namespace sluice::flow
