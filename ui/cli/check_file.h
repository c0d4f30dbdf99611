// cli/check_file.h - `config check`: reads a configuration as the router would, without a router.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "controlplane/model/diagnostic.h"
#include "ui/cli/exit_code.h"
#include "ui/cli/json_writer.h"

namespace sluice::cli {

/// A file as text, for here or for the router. Fails with usage when it cannot be read or is too
/// large to be a configuration.
[[nodiscard]] std::expected<std::string, Failure> read_text(const std::string& path);

/// Everything that is wrong with `text`; `file` stands in the diagnostics.
[[nodiscard]] std::vector<model::Diagnostic> check_text(const std::string& text,
                                                        const std::string& file);

/// One line each, then "1 error, 2 warnings", or that all is well.
[[nodiscard]] std::string diagnostics_text(const std::vector<model::Diagnostic>& diagnostics,
                                           const std::string& file);
/// An array of {severity, file, line, column, path, problem, remedy}, for whoever's JSON holds it.
void add_diagnostics(JsonWriter& to, const std::vector<model::Diagnostic>& diagnostics);
/// {valid, diagnostics[{severity, file, line, column, path, problem, remedy}]}
[[nodiscard]] std::string diagnostics_json(const std::vector<model::Diagnostic>& diagnostics);

}  // namespace sluice::cli
