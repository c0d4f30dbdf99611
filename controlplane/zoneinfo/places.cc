#include "controlplane/zoneinfo/places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"

namespace sluice::zoneinfo {

Places system_places() {
  Places out{{"/usr/share/zoneinfo", "/share/zoneinfo", "/etc/zoneinfo"},
             "/etc/TZ",
             "/etc/localtime",
             std::nullopt};
  if (const char* directory = std::getenv("TZDIR"); directory != nullptr && directory[0] == '/')
    out.databases.insert(out.databases.begin(), directory);
  if (const char* zone = std::getenv("TZ"); zone != nullptr) out.variable = zone;
  return out;
}

Result<std::string> read_place(const std::string& path, std::size_t most) {
  // Not blocking: TZ may point to anything, a pipe too.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid() && errno == ENOTDIR) return fail(Errc::not_found, Side::us, ENOTDIR);
  if (!fd.valid()) return fail_errno(errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno);
  if (!S_ISREG(info.st_mode)) return fail(Errc::not_found);
  return read_whole(fd.get(), most);
}

}  // namespace sluice::zoneinfo
