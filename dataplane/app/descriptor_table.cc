#include "dataplane/app/descriptor_table.h"

#include <utility>

#include "proto/runtime/process/descriptors.h"

namespace sluice::app {

void DescriptorTable::put(std::string name, UniqueFd fd) {
  by_name_.insert_or_assign(std::move(name), std::move(fd));
}

Result<UniqueFd> DescriptorTable::duplicate(const std::string& name) const {
  const int fd = find(name);
  if (fd < 0) return fail(Errc::not_found);
  return sluice::duplicate(fd);
}

int DescriptorTable::find(const std::string& name) const noexcept {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second.get() : -1;
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
