// convert/geo_part.h - one part of a geo database: a category of a dat file, a country or an
// autonomous system of an mmdb file.
#pragma once

#include <string>

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"
#include "ui/cli/convert/rule_source.h"

namespace sluice::cli {

/// A category of names or of addresses: whichever its items can be read as. Errors: those of the
/// format's reader; malformed (`category`); not_found; unsupported for everything but a category,
/// which no list of entries can say.
[[nodiscard]] ruleformats::Outcome<ruleformats::Tally> read_dat(ByteView file,
                                                                const std::string& category,
                                                                const ruleformats::Bounds& bounds,
                                                                ruleformats::Entries& to);
/// Errors: those of the format's reader; not_found when no record is of that country or system.
[[nodiscard]] ruleformats::Outcome<ruleformats::Tally> read_mmdb(ByteView file, const GeoPart& part,
                                                                 const ruleformats::Bounds& bounds,
                                                                 ruleformats::Entries& to);

/// For the message about a part that is not there: "did you mean `cn`?", or how many others there
/// are.
[[nodiscard]] std::string other_parts(SourceFormat format, ByteView file, const GeoPart& part);

}  // namespace sluice::cli
