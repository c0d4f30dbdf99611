#include "controlplane/model/diagnostic.h"

#include <algorithm>

namespace sluice::model {

std::string Diagnostic::to_text() const {
  std::string out = file;
  if (line != 0) {
    if (!out.empty()) out += ':';
    out += std::to_string(line) + ":" + std::to_string(column);
  }
  if (!out.empty()) out += ": ";
  if (!path.empty()) out += path + ": ";
  out += problem;
  if (!remedy.empty()) out += "; " + remedy;
  return out;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace sluice::model
