#include "controlplane/config_store/file_replacer.h"

#include "controlplane/config_store/atomic_file.h"

namespace sluice::config_store {

Stored<void> LocalReplacer::probe(const std::string& path) {
  return may_replace(path);
}

Stored<void> LocalReplacer::replace(const std::string& path, std::string_view content) {
  return replace_file(path, content);
}

}  // namespace sluice::config_store
