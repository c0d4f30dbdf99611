// ruleset/read_geo.h - one set out of a geo file that was judged good.
#pragma once

#include <string>

#include "controlplane/compile/set_input.h"
#include "controlplane/ruleset/source.h"
#include "proto/common/cursor.h"

namespace sluice::sets {

struct GeoSet {
  compile::SetTraits traits;
  /// Why it has no entries: "has no category \"adz\"; did you mean `ads`?". Empty when it has some.
  std::string problem;
};

/// `name` as a rule has it: "cn@ads", "!us", "13335". A set that is unknown is empty, `!` or not:
/// a misspelt one must not match everything.
[[nodiscard]] GeoSet read_geo(const Source& source, std::string_view name, ByteView bytes,
                              compile::SetEntries& to);

}  // namespace sluice::sets
