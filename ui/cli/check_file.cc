#include "ui/cli/check_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "controlplane/model/load.h"
#include "proto/common/unique_fd.h"
#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

/// What the router takes in one message (management.proto, ConfigText).
constexpr std::size_t kMaxConfigBytes = 8U << 20;

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
  std::string out;
  std::array<char, 16384> block{};
  for (;;) {
    const ssize_t n = ::read(fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(errno);
    if (n == 0) return out;
    out.append(block.data(), static_cast<std::size_t>(n));
    if (out.size() > kMaxConfigBytes)
      return std::unexpected(
          Failure{ExitCode::usage, path + " is larger than 8 MiB; is it a configuration?"});
  }
}

std::vector<model::Diagnostic> check_text(const std::string& text, const std::string& file) {
  return model::load_config(text, file).diagnostics;
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

std::string diagnostics_json(const std::vector<model::Diagnostic>& diagnostics) {
  JsonWriter w;
  w.object([&] {
    w.key("valid").boolean(!model::has_errors(diagnostics));
    w.key("diagnostics").array([&] {
      for (const model::Diagnostic& d : diagnostics)
        w.object([&] {
          w.key("severity").text(text_of(d.severity));
          w.key("file").text(d.file);
          w.key("line").number(std::uint64_t{d.line});
          w.key("column").number(std::uint64_t{d.column});
          w.key("path").text(d.path);
          w.key("problem").text(d.problem);
          w.key("remedy").text(d.remedy);
        });
    });
  });
  return w.str() + "\n";
}

}  // namespace sluice::cli
