#include "dataplane/kernel/bridge_filter.h"

#include <fcntl.h>
#include <unistd.h>

#include "proto/common/unique_fd.h"

namespace sluice::kernel {

bool bridge_filter_active(const std::string& directory) {
  for (const char* name : {"/bridge-nf-call-iptables", "/bridge-nf-call-ip6tables"}) {
    const UniqueFd file(::open((directory + name).c_str(), O_RDONLY | O_CLOEXEC));
    char value = '0';
    if (file.valid() && ::read(file.get(), &value, 1) == 1 && value == '1') return true;
  }
  return false;
}

}  // namespace sluice::kernel
