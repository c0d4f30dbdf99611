#include "controlplane/ruleset/entry_fault.h"

namespace sluice::sets {

std::string to_text(const EntryFault& fault, std::string_view file) {
  std::string out(file);
  if (!fault.list.empty()) out.append(": ").append(fault.list);
  if (fault.place.line != 0) {
    out.append(":").append(std::to_string(fault.place.line));
    if (fault.place.column != 0) out.append(":").append(std::to_string(fault.place.column));
  } else {
    out.append("[").append(std::to_string(fault.place.entry)).append("]");
  }
  if (!fault.text.empty()) out.append(": ").append(fault.text);
  return out.append(": ").append(fault.reason);
}

}  // namespace sluice::sets
