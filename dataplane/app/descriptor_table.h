// app/descriptor_table.h - every long-lived descriptor of the process, by name.
//
//   listener/<name>/tcp/<worker>   capture/tproxy-udp/<worker>   contract   dial   helper
//
// One place that can be listed and handed to a successor by SCM_RIGHTS (design section 3, "hitless
// upgrade"). Workers and servers use duplicates; the table's own descriptor keeps the socket alive
// until the name is removed.
//
// Owner: DataPlane. Thread: home.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::app {

class DescriptorTable {
 public:
  /// Replaces a former descriptor of that name.
  void put(std::string name, UniqueFd fd);
  /// A duplicate, close-on-exec. Errors: not_found, no_descriptors.
  [[nodiscard]] Result<UniqueFd> duplicate(const std::string& name) const;
  /// The table's own, -1 when there is none.
  [[nodiscard]] int find(const std::string& name) const noexcept;
  /// Removes every name that starts with `prefix`; an empty one removes all.
  void remove(std::string_view prefix);
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, UniqueFd, std::less<>> by_name_;
};

}  // namespace sluice::app
