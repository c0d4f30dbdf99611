#include "ui/cli/own_directory.h"

#include <unistd.h>

#include <array>

namespace sluice::cli {

std::string own_directory() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0) return {};
  const std::string text(path.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.rfind('/'));
}

}  // namespace sluice::cli
