#include "proto/runtime/process/syscall_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "proto/common/log.h"
#include "proto/runtime/process/syscall_lists.h"

namespace sluice {

namespace {

namespace calls = syscall_lists;

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

/// Collects the first failure so that building a filter has no ladder of checks.
class FilterBuilder {
 public:
  FilterBuilder() noexcept : filter_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), &seccomp_release) {
    if (!filter_) {
      error_ = -ENOMEM;
      return;
    }
    set(SCMP_FLTATR_CTL_NNP, 0);  // drop_privileges has done it
    set(SCMP_FLTATR_CTL_TSYNC, 1);
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    set(SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a line of 200 comparisons
  }

  void allow(std::span<const char* const> names) noexcept { add(SCMP_ACT_ALLOW, names); }
  void kill(std::span<const char* const> names) noexcept { add(SCMP_ACT_KILL_PROCESS, names); }

  /// `name` with its argument `argument` & `mask` == `value`.
  void add_masked(std::uint32_t action, const char* name, unsigned argument, std::uint64_t mask,
                  std::uint64_t value) noexcept {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR || error_ != 0) return;
    const scmp_arg_cmp compare{argument, SCMP_CMP_MASKED_EQ, mask, value};
    keep(seccomp_rule_add_array(filter_.get(), action, number, 1, &compare));
  }

  int load() noexcept {
    if (error_ == 0) keep(seccomp_load(filter_.get()));
    return error_;
  }

 private:
  void set(scmp_filter_attr attribute, std::uint32_t value) noexcept {
    keep(seccomp_attr_set(filter_.get(), attribute, value));
  }
  void add(std::uint32_t action, std::span<const char* const> names) noexcept {
    for (const char* name : names) {
      const int number = seccomp_syscall_resolve_name(name);
      if (number == __NR_SCMP_ERROR || error_ != 0) continue;
      keep(seccomp_rule_add(filter_.get(), action, number, 0));
    }
  }
  void keep(int result) noexcept {
    // EDOM: the call does not exist on this architecture and cannot be expressed there.
    if (error_ == 0 && result < 0 && result != -EDOM) error_ = result;
  }

  Filter filter_;
  int error_ = 0;
};

/// The families that any of us speaks; AF_PACKET, AF_ALG, AF_VSOCK and the rest stay ENOSYS.
void allow_socket_families(FilterBuilder& filter, std::initializer_list<int> families) noexcept {
  for (const int family : families)
    filter.add_masked(SCMP_ACT_ALLOW, "socket", 0, UINT64_MAX, static_cast<std::uint64_t>(family));
}

/// Threads but no processes. clone3 hides its flags behind a pointer, so it stays ENOSYS and the C
/// library falls back to clone.
void allow_threads(FilterBuilder& filter) noexcept {
  filter.add_masked(SCMP_ACT_ALLOW, "clone", 0, CLONE_THREAD, CLONE_THREAD);
}

constexpr std::uint64_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                          CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                          CLONE_NEWNET;

void fill(FilterBuilder& filter, SeccompProfile profile) noexcept {
  constexpr const char* kExecveat[] = {"execveat"};
  filter.allow(calls::base());
  filter.allow(calls::messages());
  filter.kill(calls::deadly());
  switch (profile) {
    case SeccompProfile::dataplane:
      filter.allow(calls::network());
      filter.allow(calls::files());
      allow_socket_families(filter, {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});
      allow_threads(filter);
      filter.kill(kExecveat);
      return;
    case SeccompProfile::controlplane:
      filter.allow(calls::network());
      filter.allow(calls::files());
      // AF_NETLINK: the C library and gRPC list interfaces with it; without CAP_NET_ADMIN it is
      // read-only.
      allow_socket_families(filter, {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});
      allow_threads(filter);
      filter.kill(kExecveat);
      return;
    case SeccompProfile::spawner:
      filter.allow(calls::network());
      filter.allow(calls::program_start());
      filter.allow(calls::processes());
      filter.allow(calls::folders());
      filter.allow(kExecveat);
      allow_socket_families(filter, {AF_UNIX, AF_NETLINK});
      filter.add_masked(SCMP_ACT_ALLOW, "clone", 0, kNamespaceFlags, 0);
      return;
    case SeccompProfile::nft_helper:
      filter.kill(kExecveat);
      return;
    case SeccompProfile::proc_helper:
      filter.allow(calls::folders());
      // No file: with CAP_SYS_PTRACE that would be the memory of every process. O_TMPFILE and, on
      // older kernels, O_CREAT open one though O_DIRECTORY is set.
      filter.add_masked(SCMP_ACT_ALLOW, "openat", 2, O_TMPFILE | O_CREAT | O_ACCMODE, O_DIRECTORY);
      filter.kill(kExecveat);
      return;
  }
}

}  // namespace

Status apply_seccomp(SeccompProfile profile) {
  FilterBuilder filter;
  fill(filter, profile);
  const int result = filter.load();
  if (result == 0) return {};
  SLUICE_LOG(error, "process", "step=seccomp failed: %s", std::strerror(-result));
  if (result == -EINVAL || result == -EOPNOTSUPP) return fail(Errc::not_built, Side::us, -result);
  return fail(Errc::system, Side::us, -result);
}

}  // namespace sluice
