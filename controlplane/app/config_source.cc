#include "controlplane/app/config_source.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "controlplane/config_store/atomic_file.h"
#include "proto/common/whole_file.h"

namespace sluice::control_plane {
namespace {

using config_store::store_fail;
using config_store::Stored;
using config_store::StoreFault;

/// The supervisor copies and syncs a few megabytes at most, perhaps on slow flash.
constexpr Millis kLinkTimeout{10'000};
}  // namespace

ConfigSource::ConfigSource(std::string path, UniqueFd supervisor) : path_(std::move(path)) {
  if (supervisor.valid()) link_ = std::make_unique<SupervisorLink>(std::move(supervisor));
}

Stored<std::string> ConfigSource::read() {
  if (!link_) return config_store::read_file(path_);
  const Result<UniqueFd> file = link_->open_config(kLinkTimeout);
  if (!file) return store_fail(StoreFault::read_failed, path_, file.error().sys);
  return config_store::read_file(file->get(), path_);
}

Stored<void> ConfigSource::probe(const std::string& path) {
  if (!link_) return local_.probe(path);
  return {};  // the supervisor tries with its own rights, and says so if it fails
}

Stored<void> ConfigSource::replace(const std::string& path, std::string_view content) {
  if (!link_) return local_.replace(path, content);
  const UniqueFd memory(::memfd_create("sluice-config", MFD_CLOEXEC));
  if (!memory.valid()) return store_fail(StoreFault::write_failed, path, errno);
  Status done = write_whole(memory.get(), content);
  if (done) done = link_->replace_config(memory.get(), kLinkTimeout);
  if (!done) return store_fail(StoreFault::write_failed, path, done.error().sys);
  return {};
}

}  // namespace sluice::control_plane
