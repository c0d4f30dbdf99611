// few_descriptors.h - a process that has only so many descriptors left.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "proto/common/unique_fd.h"

namespace sluice::app::test {

/// From construction to destruction `left` descriptors can be opened, and no more.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    ::getrlimit(RLIMIT_NOFILE, &former_);
    rlimit tight = former_;
    tight.rlim_cur = 512;
    ::setrlimit(RLIMIT_NOFILE, &tight);
    for (int fd = ::dup(STDERR_FILENO); fd >= 0; fd = ::dup(STDERR_FILENO)) held_.emplace_back(fd);
    for (; left > 0 && !held_.empty(); --left) held_.pop_back();
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &former_); }

 private:
  rlimit former_{};
  std::vector<UniqueFd> held_;
};

}  // namespace sluice::app::test
