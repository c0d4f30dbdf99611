#include "controlplane/model/load.h"

#include <utility>

#include "controlplane/config/yaml.h"

namespace sluice::model {

LoadResult load_config(std::string_view text, std::string_view file_name) {
  config::YamlResult yaml = config::read_yaml(text, file_name);
  if (!yaml.document) return {std::nullopt, std::move(yaml.diagnostics)};
  return read_config(*yaml.document, file_name);
}

}  // namespace sluice::model
