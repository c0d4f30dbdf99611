#include "ui/cli/check_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "proto/common/config_size.h"
#include "proto/common/unique_fd.h"
#include "proto/common/whole_file.h"
#include "ui/cli/human.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

const char* text_of(model::Severity severity) {
  return severity == model::Severity::error ? "error" : "warning";
}

}  // namespace

std::expected<std::string, Failure> read_text(const std::string& path) {
  const auto failed = [&](int sys) {
    return std::unexpected(Failure{ExitCode::usage, "cannot read " + path + " (" +
                                                        std::strerror(sys) +
                                                        "); check the path and its permissions"});
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return failed(errno);
  auto text = read_whole(fd.get(), kMaxConfigBytes);
  if (text) return std::move(*text);
  if (text.error().code != Errc::too_large) return failed(text.error().sys);
  return std::unexpected(
      Failure{ExitCode::usage, path + " is larger than 8 MiB; is it a configuration?"});
}

std::string diagnostics_text(const std::vector<model::Diagnostic>& diagnostics,
                             const std::string& file) {
  if (diagnostics.empty()) return printable(file) + " is valid\n";
  std::string out;
  for (const model::Diagnostic& d : diagnostics)
    out += printable(d.to_text()) + " [" + text_of(d.severity) + "]\n";
  const auto errors = static_cast<std::size_t>(
      std::ranges::count(diagnostics, model::Severity::error, &model::Diagnostic::severity));
  const std::size_t warnings = diagnostics.size() - errors;
  if (errors > 0) out += counted(errors, "error");
  if (errors > 0 && warnings > 0) out += ", ";
  if (warnings > 0) out += counted(warnings, "warning");
  return out + (errors > 0 ? "\n" : "; the file is valid\n");
}

void add_diagnostics(JsonWriter& to, const std::vector<model::Diagnostic>& diagnostics) {
  to.array([&] {
    for (const model::Diagnostic& d : diagnostics)
      to.object([&] {
        to.key("severity").text(text_of(d.severity));
        to.key("file").text(d.file);
        to.key("line").number(std::uint64_t{d.line});
        to.key("column").number(std::uint64_t{d.column});
        to.key("path").text(d.path);
        to.key("problem").text(d.problem);
        to.key("remedy").text(d.remedy);
      });
  });
}

std::string judge_text(const Judge& judge) {
  if (judge.router) return "checked by the router that runs in " + printable(judge.run_dir) + "\n";
  return "checked without a router, with the home directory " + printable(judge.home) + "\n";
}

std::string check_json(const std::vector<model::Diagnostic>& diagnostics, const Judge& judge) {
  JsonWriter w;
  w.object([&] {
    w.key("valid").boolean(!model::has_errors(diagnostics));
    w.key("checkedBy").text(judge.router ? "router" : "home");
    w.key(judge.router ? "runDir" : "home").text(judge.router ? judge.run_dir : judge.home);
    w.key("diagnostics");
    add_diagnostics(w, diagnostics);
  });
  return w.str() + "\n";
}

}  // namespace sluice::cli
