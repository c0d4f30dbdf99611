#include "dataplane/app/descriptor_table.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace sluice::app {

void DescriptorTable::put(std::string name, UniqueFd fd) {
  by_name_.insert_or_assign(std::move(name), std::move(fd));
}

Result<UniqueFd> DescriptorTable::duplicate(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return fail(Errc::not_found);
  UniqueFd copy(::fcntl(found->second.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return fail_errno(errno);
  return copy;
}

void DescriptorTable::remove(std::string_view prefix) {
  auto at = by_name_.lower_bound(prefix);
  while (at != by_name_.end() && at->first.starts_with(prefix)) at = by_name_.erase(at);
}

std::vector<std::string> DescriptorTable::names() const {
  std::vector<std::string> out;
  for (const auto& [name, fd] : by_name_) out.push_back(name);
  return out;
}

}  // namespace sluice::app
