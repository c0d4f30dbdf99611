// in_child.h - runs a check in a forked child, because what is tested cannot be undone.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace sluice::test {

/// How a child ended: its exit code, or 256 + the number of the signal that killed it.
inline constexpr int kKilledBy = 256;

template <class Check>
int run_in_child(Check check) {
  const pid_t child = ::fork();
  if (child < 0) return -errno;
  if (child == 0) ::_exit(check());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? kKilledBy + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace sluice::test

/// In a child's check: ends it with the line's number (never 0 modulo 256), which the failure
/// shows.
#define CHILD_REQUIRE(condition)                   \
  do {                                             \
    if (!(condition)) return (__LINE__ % 255) + 1; \
  } while (false)
