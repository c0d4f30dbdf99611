#include "controlplane/clients/client_names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "proto/common/unique_fd.h"

namespace sluice::clients {
namespace {

/// A leases file beyond this is none.
constexpr std::size_t kMostBytes = 8U << 20U;

std::string read_all(int fd) {
  std::string out;
  std::array<char, 16 * 1024> part;
  for (ssize_t got = 1; got > 0 && out.size() < kMostBytes;) {
    got = ::read(fd, part.data(), part.size());
    if (got > 0) out.append(part.data(), static_cast<std::size_t>(got));
  }
  return out;
}

}  // namespace

void ClientNames::set_leases(std::string file) {
  if (file.empty())
    files_ = {"/tmp/dhcp.leases", "/var/lib/misc/dnsmasq.leases"};
  else
    files_ = {std::move(file)};
  fresh_until_ = {};
}

Client ClientNames::of(const IpAddress& ip, Moment now) {
  if (!ip.valid()) return {};
  refresh(now);
  Client out;
  std::uint64_t mac = 0;
  if (const auto lease = leases_.find(ip); lease != leases_.end()) {
    out.name = lease->second.name;
    mac = lease->second.mac;
  }
  if (const auto heard = neighbours_.find(ip); heard != neighbours_.end()) mac = heard->second;
  if (out.name.empty() && mac != 0)
    if (const auto named = names_.find(mac); named != names_.end()) out.name = named->second;
  out.mac = mac_text(mac);
  return out;
}

void ClientNames::refresh(Moment now) {
  if (now < fresh_until_) return;
  fresh_until_ = now + kFresh;
  read_leases();
  // What was known stays while the kernel cannot be asked.
  if (auto heard = read_neighbours_()) neighbours_ = std::move(*heard);
}

/// Of the first file that is there.
void ClientNames::read_leases() {
  for (const std::string& file : files_) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info{};
    if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const Stamp stamp{info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec, info.st_size};
    if (file == read_file_ && stamp == stamp_) return;
    read_file_ = file;
    stamp_ = stamp;
    leases_.clear();
    names_.clear();
    for (Lease& lease : parse_leases(read_all(fd.get()))) {
      if (lease.mac != 0 && !lease.name.empty()) names_.insert_or_assign(lease.mac, lease.name);
      leases_.insert_or_assign(lease.ip, std::move(lease));
    }
    return;
  }
  read_file_.clear();
  leases_.clear();
  names_.clear();
}

}  // namespace sluice::clients
