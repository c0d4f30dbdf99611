#include "controlplane/config_store/last_good.h"

#include "controlplane/config_store/atomic_file.h"

namespace sluice::config_store {

Stored<void> LastGood::keep(std::string_view text) const {
  // At most starts nothing is new: flash wears.
  if (const Stored<std::string> kept = read_file(path_); kept && *kept == text) return {};
  return replace_file(path_, text, 0600);
}

Stored<std::string> LastGood::text() const {
  return read_file(path_);
}

}  // namespace sluice::config_store
