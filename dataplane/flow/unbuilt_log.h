// flow/unbuilt_log.h - says which proxies refuse flows because they are not built in.
//
// One warning per proxy and kUnbuiltWarning, however many flows ask for it; the next one, at the
// latest that of the sweep, says how many there were since. Owner: the engine. Thread: its worker.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "proto/common/clock.h"
#include "proto/contract/manifest.h"

namespace sluice::flow {

/// "proxy hk-03 (type Vmess): its type or one of its options is not built in": for logs, close
/// reasons and clients.
[[nodiscard]] std::string describe_unbuilt(const contract::Outbound& proxy);

class UnbuiltLog {
 public:
  /// A flow to `proxy` was refused.
  void refused(const contract::Outbound& proxy, Moment now);
  /// Says what no later refusal said, and forgets what is said.
  void sweep(Moment now);

 private:
  struct Told {
    std::string what;  ///< describe_unbuilt()
    Moment quiet_until{};
    std::uint64_t untold = 0;  ///< refusals since the last line
  };
  static void tell(Told& told, Moment now);

  std::unordered_map<std::string, Told> told_;  ///< by name; as many as unbuilt proxies were asked
};

}  // namespace sluice::flow
