// process/privileges.h - become a user with exactly these capabilities, for good.
//
//   started as        after drop_privileges({uid, gid, groups, caps})
//   root              Uid = Gid = plan, CapPrm = CapEff = CapBnd = caps, NoNewPrivs 1
//   the same user     CapPrm = CapEff = caps (must be held already), NoNewPrivs 1; CapBnd shrinks
//                     only with CAP_SETPCAP, which matters to nobody: NoNewPrivs forbids gains
//
// Thread: call while the process has one thread; capset(2) acts on the calling thread alone.
#pragma once

#include <linux/capability.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "proto/common/result.h"

namespace sluice {

/// One bit per capability number, bit CAP_X set when held.
using CapMask = std::uint64_t;

[[nodiscard]] constexpr CapMask cap_bit(int capability) noexcept {
  return CapMask{1} << static_cast<unsigned>(capability);
}

// The design's table, one constant per program.
inline constexpr CapMask kDataPlaneCaps =
    cap_bit(CAP_NET_ADMIN) | cap_bit(CAP_NET_RAW) | cap_bit(CAP_NET_BIND_SERVICE);
inline constexpr CapMask kControlPlaneCaps = cap_bit(CAP_NET_BIND_SERVICE);
inline constexpr CapMask kNftHelperCaps = cap_bit(CAP_NET_ADMIN);
inline constexpr CapMask kProcHelperCaps = cap_bit(CAP_SYS_PTRACE) | cap_bit(CAP_DAC_READ_SEARCH);
/// CAP_SETPCAP: without it no helper could be started with less than all of these.
inline constexpr CapMask kSpawnerCaps = kNftHelperCaps | kProcHelperCaps | cap_bit(CAP_SETPCAP);

struct PrivilegePlan {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  ///< supplementary groups; all others are dropped
  CapMask caps = 0;
  /// Also inheritable and ambient, so that the next execve keeps them.
  bool for_exec = false;
};

/// Irreversible. On failure the process must exit: it may hold half of the plan.
/// Errors: system with the errno of the first step that failed (a log line names the step);
/// denied when the kernel reports capabilities other than the plan's afterwards.
[[nodiscard]] Status drop_privileges(const PrivilegePlan& plan);

/// The calling thread's effective capabilities.
[[nodiscard]] CapMask effective_caps() noexcept;
/// The calling thread's bounding set.
[[nodiscard]] CapMask bounding_caps() noexcept;

}  // namespace sluice
