#include "proto/runtime/process/syscall_lists.h"

namespace sluice::syscall_lists {

namespace {

constexpr const char* kBase[] = {
    // Memory.
    "brk",
    "mmap",
    "mmap2",
    "mprotect",
    "munmap",
    "mremap",
    "madvise",
    "mincore",
    "membarrier",
    // Descriptors at hand.
    "read",
    "write",
    "readv",
    "writev",
    "close",
    "close_range",
    "fcntl",
    "fcntl64",
    "dup",
    "dup2",
    "dup3",
    "fstat",
    "fstat64",
    "lseek",
    "_llseek",
    "ioctl",
    // Waiting.
    "poll",
    "ppoll",
    "ppoll_time64",
    "select",
    "_newselect",
    "pselect6",
    "pselect6_time64",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "eventfd",
    "eventfd2",
    "timerfd_create",
    "timerfd_settime",
    "timerfd_settime64",
    "timerfd_gettime",
    "timerfd_gettime64",
    "futex",
    "futex_time64",
    "futex_waitv",
    "nanosleep",
    "clock_nanosleep",
    "clock_nanosleep_time64",
    "sched_yield",
    "restart_syscall",
    // Time.
    "clock_gettime",
    "clock_gettime64",
    "clock_getres",
    "clock_getres_time64",
    "gettimeofday",
    "time",
    "times",
    // Signals.
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigpending",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "rt_sigtimedwait_time64",
    "sigaltstack",
    "sigreturn",
    "signalfd4",
    "tgkill",
    "tkill",
    "kill",
    // Identity and limits.
    "getpid",
    "gettid",
    "getppid",
    "getpgrp",
    "getsid",
    "getuid",
    "getuid32",
    "geteuid",
    "geteuid32",
    "getgid",
    "getgid32",
    "getegid",
    "getegid32",
    "getgroups",
    "getgroups32",
    "getresuid",
    "getresuid32",
    "getresgid",
    "getresgid32",
    "capget",
    "getrlimit",
    "ugetrlimit",
    "prlimit64",
    "getrusage",
    "uname",
    "sysinfo",
    "getrandom",
    "getcpu",
    "getpriority",
    "setpriority",
    "prctl",
    "umask",
    // Threads and exit.
    "set_robust_list",
    "get_robust_list",
    "set_tid_address",
    "rseq",
    "arch_prctl",
    "set_thread_area",
    "set_tls",
    "cacheflush",
    "riscv_flush_icache",
    "riscv_hwprobe",
    "sched_getaffinity",
    "sched_setaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getattr",
    "exit",
    "exit_group",
};

constexpr const char* kMessages[] = {
    "sendmsg",     "recvmsg",     "sendto",     "recvfrom",        "send",
    "recv",        "sendmmsg",    "recvmmsg",   "recvmmsg_time64", "shutdown",
    "getsockname", "getpeername", "getsockopt", "setsockopt",
};

constexpr const char* kNetwork[] = {
    "socketpair", "bind",   "listen", "accept",   "accept4",  "connect",    "pipe",
    "pipe2",      "splice", "tee",    "vmsplice", "sendfile", "sendfile64",
};

constexpr const char* kFiles[] = {
    "open",
    "openat",
    "openat2",
    "creat",
    "pread64",
    "pwrite64",
    "preadv",
    "pwritev",
    "preadv2",
    "pwritev2",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "newfstatat",
    "fstatat64",
    "statx",
    "statfs",
    "statfs64",
    "fstatfs",
    "fstatfs64",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents",
    "getdents64",
    "getcwd",
    "chdir",
    "fchdir",
    "mkdir",
    "mkdirat",
    "rmdir",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "truncate",
    "truncate64",
    "ftruncate",
    "ftruncate64",
    "fallocate",
    "fadvise64",
    "fadvise64_64",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "msync",
    "flock",
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "fchown32",
    "fchownat",
    "utimensat",
    "utimensat_time64",
    "utimes",
    "futimesat",
    "copy_file_range",
    "memfd_create",
    "inotify_init1",
    "inotify_add_watch",
    "inotify_rm_watch",
    "mlock",
    "munlock",
};

constexpr const char* kFolders[] = {
    "getdents", "getdents64", "readlinkat", "newfstatat", "fstatat64", "statx",
};

constexpr const char* kProcesses[] = {
    "fork",    "vfork",      "wait4",
    "waitid",  "waitpid",    "setsid",
    "setpgid", "pidfd_open", "pidfd_send_signal",
};

constexpr const char* kProgramStart[] = {
    "open",        "openat",     "pread64",     "access",     "faccessat",   "faccessat2",
    "stat",        "stat64",     "lstat",       "newfstatat", "fstatat64",   "statx",
    "readlink",    "readlinkat", "getcwd",      "seccomp",    "capset",      "setgroups",
    "setgroups32", "setresuid",  "setresuid32", "setresgid",  "setresgid32",
};

constexpr const char* kDeadly[] = {
    // Other programs, other processes' memory.
    "execve",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "pidfd_getfd",
    "kcmp",
    "userfaultfd",
    // The view of the file system.
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "setns",
    "unshare",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "open_by_handle_at",
    "name_to_handle_at",
    "quotactl",
    "quotactl_fd",
    "acct",
    "swapon",
    "swapoff",
    // Code in the kernel.
    "bpf",
    "perf_event_open",
    "init_module",
    "finit_module",
    "delete_module",
    "create_module",
    "kexec_load",
    "kexec_file_load",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    // The machine.
    "reboot",
    "iopl",
    "ioperm",
    "syslog",
    "settimeofday",
    "stime",
    "clock_settime",
    "clock_settime64",
    "clock_adjtime",
    "clock_adjtime64",
    "adjtimex",
    "sethostname",
    "setdomainname",
    "vhangup",
    // Keys.
    "add_key",
    "request_key",
    "keyctl",
};

}  // namespace

std::span<const char* const> base() noexcept {
  return kBase;
}
std::span<const char* const> messages() noexcept {
  return kMessages;
}
std::span<const char* const> network() noexcept {
  return kNetwork;
}
std::span<const char* const> files() noexcept {
  return kFiles;
}
std::span<const char* const> folders() noexcept {
  return kFolders;
}
std::span<const char* const> processes() noexcept {
  return kProcesses;
}
std::span<const char* const> program_start() noexcept {
  return kProgramStart;
}
std::span<const char* const> deadly() noexcept {
  return kDeadly;
}

}  // namespace sluice::syscall_lists
