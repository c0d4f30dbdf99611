#include "controlplane/app/set_consumer.h"

#include "proto/common/log.h"

namespace sluice::control_plane {

provider::Accepted SetConsumer::accept(ByteView bytes) {
  // At each start the same copies come again.
  const contract::Digest digest = contract::digest_of(bytes);
  if (const auto known = shelf_.tally_of(source_, digest)) {
    shelf_.let_go(source_);
    taken_ = {digest, *known};
    return {};
  }
  sets::Acceptance found = shelf_.accept(source_, bytes);
  if (!found.error.empty()) return std::unexpected(std::move(found.error));
  const std::string file = source_.path.empty() ? "payload" : source_.path;
  for (const sets::EntryFault& fault : found.faults)
    SLUICE_LOG(warning, "rules", "%s: left out: %s", source_.name.c_str(),
               sets::to_text(fault, file).c_str());
  if (found.tally.faults > found.faults.size())
    SLUICE_LOG(warning, "rules", "%s: left out: %u entries in all", source_.name.c_str(),
               found.tally.faults);
  shelf_.let_go(source_);
  taken_ = {found.digest, found.tally};
  return {};
}

void SetConsumer::adopt() {
  if (in_force_.tally.entries > 0 && taken_.tally.entries == 0)
    SLUICE_LOG(warning, "rules",
               "%s: the new content has no entries, the former had %u: it matches nothing now",
               source_.name.c_str(), in_force_.tally.entries);
  in_force_ = taken_;
  if (in_force_.digest != compiled_ && changed_) changed_();
}

}  // namespace sluice::control_plane
