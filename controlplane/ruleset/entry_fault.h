// ruleset/entry_fault.h - one entry that is left out, kept for whoever tells the user.
#pragma once

#include <string>
#include <string_view>

#include "controlplane/ruleformats/entries.h"

namespace sluice::sets {

struct EntryFault {
  std::string list;          ///< category of a geo file; empty elsewhere
  ruleformats::Place place;  ///< line 0: only the entry's number is known
  std::string text;          ///< as written, quoted, cut when long; empty where it has no text form
  std::string reason;        ///< what is wrong, after the text: "is not an address or prefix"
};

/// "ads.txt:12:3: \"foo\": is not an address or prefix", "geosite.dat: cn[7]: …", "payload[3]: …".
[[nodiscard]] std::string to_text(const EntryFault& fault, std::string_view file);

}  // namespace sluice::sets
