// config/yaml.h - YAML text to a plain tree.
//
// YAML 1.2 as its users write it, plus merge keys (`<<`):
//   - expanded at once and recursively; in the list form the earlier anchor wins; a key written in
//     the mapping itself wins over every merged one, wherever it stands;
//   - a key written twice in one mapping is an error, a second `<<` too;
//   - an alias means the last anchor of that name above it.
// A UTF-8 byte order mark and CRLF are fine; UTF-16 is refused. One document per text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/config/bounds.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/model/tree.h"

namespace sluice::config {

struct YamlResult {
  std::optional<model::Document> document;     ///< absent when there is any diagnostic
  std::vector<model::Diagnostic> diagnostics;  ///< errors only, file order
};

/// Pure. `file_name` stands in the diagnostics. A syntax error ends the reading; duplicate keys and
/// unknown anchors are all reported. The result does not refer to `text`.
[[nodiscard]] YamlResult read_yaml(std::string_view text, std::string_view file_name,
                                   const Bounds& bounds = {});

}  // namespace sluice::config
