// cli/check_file.h - configuration files on their way to a router, and what was found wrong with
// them.
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

/// One line each, then "1 error, 2 warnings", or that all is well.
[[nodiscard]] std::string diagnostics_text(const std::vector<model::Diagnostic>& diagnostics,
                                           const std::string& file);
/// An array of {severity, file, line, column, path, problem, remedy}, for whoever's JSON holds it.
void add_diagnostics(JsonWriter& to, const std::vector<model::Diagnostic>& diagnostics);

/// Who judged a file for `config check`: what one router takes another may refuse.
struct Judge {
  bool router =
      false;  ///< the one that runs in run_dir; false: nobody runs there, or `home` was asked for
  std::string run_dir;
  std::string home;  ///< of a judgement without a router
};
/// "checked by the router that runs in /run/sluice"
[[nodiscard]] std::string judge_text(const Judge& judge);
/// {valid, checkedBy, runDir or home, diagnostics[{severity, file, line, column, path, problem,
/// remedy}]}
[[nodiscard]] std::string check_json(const std::vector<model::Diagnostic>& diagnostics,
                                     const Judge& judge);

}  // namespace sluice::cli
