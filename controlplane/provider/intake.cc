#include "controlplane/provider/intake.h"

#include <utility>

namespace sluice::provider {

std::string ReadIn::reason(const std::string& path) const {
  if (!found) return found.error().reason;
  std::string out = path + ": " + accepted.error();
  if (!moved_aside) out += "; " + moved_aside.error().reason;
  return out;
}

ReadIn take_in_file(const LocalCopy& file, std::size_t most, Consumer& consumer) {
  ReadIn out{file.read(most), {}, {}};
  if (!out.found) return out;
  out.accepted = consumer.accept(as_byte_view(out.found->bytes));
  std::string().swap(out.found->bytes);
  return out;
}

ReadIn take_in_copy(const LocalCopy& copy, std::size_t most, Consumer& consumer) {
  copy.clear_leftovers();
  ReadIn out = take_in_file(copy, most, consumer);
  if (out.broken()) out.moved_aside = copy.set_aside();
  return out;
}

TakenIn take_in_download(const LocalCopy& copy, std::string_view bytes, Origin origin, Place place,
                         Consumer& consumer) {
  TakenIn out;
  out.same = place == Place::copy && copy.holds(bytes, origin.copy);
  if (out.same) {
    copy.record(origin);
  } else {
    out.accepted = consumer.accept(as_byte_view(bytes));
    origin.changed_ms = origin.checked_ms;
    if (out.accepted) out.stored = copy.store(bytes, origin);
    if (!out.stored) consumer.hold(as_byte_view(bytes));
  }
  out.origin = std::move(origin);
  return out;
}

}  // namespace sluice::provider
