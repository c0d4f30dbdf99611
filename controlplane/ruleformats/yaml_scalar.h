// ruleformats/yaml_scalar.h - one YAML scalar on one line (YAML 1.2 sections 7.3.1 to 7.3.3).
#pragma once

#include <string>
#include <string_view>

namespace sluice::ruleformats {

/// Where a scalar stands: in a flow list it also ends at `,` and `]`.
enum class YamlContext : unsigned char { block, flow };

struct YamlScalar {
  std::string_view value;   ///< a view into the line or into the scratch text
  std::size_t size = 0;     ///< bytes of the line that it took
  std::string_view reason;  ///< not empty: why it could not be read
};

/// The scalar that `line` starts with. `scratch` holds a quoted one whose escapes are resolved.
[[nodiscard]] YamlScalar read_yaml_scalar(std::string_view line, YamlContext context,
                                          std::string& scratch);

}  // namespace sluice::ruleformats
