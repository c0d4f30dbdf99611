#include "proto/runtime/process/privileges.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "proto/common/log.h"

namespace sluice {

namespace {

constexpr int kCapBits = 64;

struct CapSets {
  CapMask effective = 0;
  CapMask permitted = 0;
  CapMask inheritable = 0;
};

Status step_failed(const char* step) {
  const int error = errno;
  SLUICE_LOG(error, "process", "step=drop-privileges call=%s failed: %s", step,
             std::strerror(error));
  return fail(Errc::system, Side::us, error);
}

int set_caps(const CapSets& sets) noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (unsigned word = 0; word < data.size(); ++word) {
    data[word].effective = static_cast<std::uint32_t>(sets.effective >> (32 * word));
    data[word].permitted = static_cast<std::uint32_t>(sets.permitted >> (32 * word));
    data[word].inheritable = static_cast<std::uint32_t>(sets.inheritable >> (32 * word));
  }
  return static_cast<int>(::syscall(SYS_capset, &header, data.data()));
}

/// Needs CAP_SETPCAP; without it the set stays as it is (see the header's picture).
Status shrink_bounding_set(CapMask keep) {
  if ((effective_caps() & cap_bit(CAP_SETPCAP)) == 0) return {};
  const CapMask bounding = bounding_caps();
  for (int cap = 0; cap < kCapBits; ++cap) {
    if ((bounding & ~keep & cap_bit(cap)) == 0) continue;
    if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) return step_failed("PR_CAPBSET_DROP");
  }
  return {};
}

Status change_ids(const PrivilegePlan& plan) {
  const bool same = ::getuid() == plan.uid && ::geteuid() == plan.uid && ::getgid() == plan.gid &&
                    ::getegid() == plan.gid;
  const bool may_set_groups = (effective_caps() & cap_bit(CAP_SETGID)) != 0;
  if (!same || may_set_groups) {
    if (::setgroups(plan.groups.size(), plan.groups.data()) != 0) return step_failed("setgroups");
  }
  if (same) return {};
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return step_failed("PR_SET_KEEPCAPS");
  if (::setresgid(plan.gid, plan.gid, plan.gid) != 0) return step_failed("setresgid");
  if (::setresuid(plan.uid, plan.uid, plan.uid) != 0) return step_failed("setresuid");
  return {};
}

Status raise_ambient(CapMask caps) {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return step_failed("PR_CAP_AMBIENT_CLEAR_ALL");
  for (int cap = 0; cap < kCapBits; ++cap) {
    if ((caps & cap_bit(cap)) == 0) continue;
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) != 0)
      return step_failed("PR_CAP_AMBIENT_RAISE");
  }
  return {};
}

}  // namespace

CapMask effective_caps() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return 0;
  return CapMask{data[0].effective} | (CapMask{data[1].effective} << 32);
}

CapMask bounding_caps() noexcept {
  CapMask bounding = 0;
  for (int cap = 0; cap < kCapBits; ++cap) {
    if (::prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1) bounding |= cap_bit(cap);
  }
  return bounding;
}

Status drop_privileges(const PrivilegePlan& plan) {
  if (Status s = shrink_bounding_set(plan.caps); !s) return s;
  if (Status s = change_ids(plan); !s) return s;
  const CapMask inheritable = plan.for_exec ? plan.caps : 0;
  if (set_caps({plan.caps, plan.caps, inheritable}) != 0) return step_failed("capset");
  if (Status s = raise_ambient(inheritable); !s) return s;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return step_failed("PR_SET_NO_NEW_PRIVS");
  if (effective_caps() != plan.caps) {
    SLUICE_LOG(error, "process", "step=drop-privileges capabilities are not the plan's");
    return fail(Errc::denied);
  }
  return {};
}

}  // namespace sluice
