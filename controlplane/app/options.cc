#include "controlplane/app/options.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "proto/common/text.h"
#include "proto/runtime/process/paths.h"

namespace sluice::control_plane {
namespace {

/// Relative paths stay right whatever the working directory becomes.
std::string absolute(std::string_view path) {
  if (path.empty() || path.front() == '/') return std::string(path);
  std::string here(PATH_MAX, '\0');
  if (::getcwd(here.data(), here.size()) == nullptr) return std::string(path);
  here.resize(here.find('\0'));
  return here + "/" + std::string(path);
}

/// Empty when it was taken, else a sentence.
std::string take(Options& out, std::string_view name, std::string_view value) {
  if (name == kOptionConfig) {
    out.config = absolute(value);
  } else if (name == kOptionCheck) {
    out.check = value;
    out.config = absolute(value);
  } else if (name == kOptionHome) {
    out.home = absolute(value);
  } else if (name == kOptionRunDirectory) {
    out.run_dir = absolute(value);
  } else if (name == kOptionUser) {
    out.user = value;
  } else if (name == kOptionSupervisorFd) {
    const auto number = parse_number(value, 1024);
    if (!number)
      return std::string(name) + " wants a descriptor, not \"" + std::string(value) + "\"";
    out.supervisor_fd = static_cast<int>(*number);
  } else {
    return "unknown option " + std::string(name) + "; see --help";
  }
  return {};
}

}  // namespace

std::expected<Options, std::string> parse_options(int argc, char** argv) {
  Options out;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size();) {
    if (words[i] == "--help" || words[i] == "-h") {
      out.help = true;
      return out;
    }
    if (words[i] == "--version" || words[i] == "-v") {
      out.version = true;
      return out;
    }
    if (words[i] == kOptionRestarted) {
      out.restarted = true;
      ++i;
      continue;
    }
    if (i + 1 == words.size())
      return std::unexpected(std::string(words[i]) + " wants a value; see --help");
    if (std::string problem = take(out, words[i], words[i + 1]); !problem.empty())
      return std::unexpected(std::move(problem));
    i += 2;
  }
  if (out.config.empty())
    return std::unexpected(std::string("--config is missing; `sluice run` starts this program"));
  if (out.home.empty()) out.home = default_home(::getuid());
  if (out.run_dir.empty()) out.run_dir = default_run_directory(::getuid());
  return out;
}

FilePlaces file_places(const Options& options) {
  FilePlaces out{options.config, {options.home, {}, false}};
  if (const char* const paths = std::getenv("SAFE_PATHS"))
    out.rules.safe_paths = provider::split_safe_paths(paths);
  const char* const anywhere = std::getenv("SKIP_SAFE_PATH_CHECK");
  out.rules.anywhere = anywhere != nullptr && (iequals(anywhere, "true") || iequals(anywhere, "1"));
  return out;
}

const char* usage() noexcept {
  return "usage: sluice-controlplane --config FILE [options]\n"
         "\n"
         "The half of sluice that knows the configuration: compiles it for the data plane, "
         "answers\n"
         "DNS, keeps statistics and serves the `sluice` command.\n"
         "`sluice run` starts it; there is no need to call it by hand.\n"
         "\n"
         "  --config FILE       the configuration\n"
         "  --home DIR          where choices, statistics and earlier configurations are kept\n"
         "  --run-dir DIR       where the sockets are: dp/ of the data plane, cp/ of this program\n"
         "  --user NAME         become this user; when started as root\n"
         "  --supervisor-fd N   the descriptor to the supervisor; when it ends, so do we\n"
         "  --restarted         an earlier one ran under this supervisor: when FILE is broken, the "
         "last\n"
         "                      good configuration in the home directory stands in\n"
         "  --check NAME        judge the configuration on standard input, which NAME is the file "
         "of, and "
         "end;\n"
         "                      `sluice config check` asks this way while no router runs\n"
         "  --version, --help\n";
}

}  // namespace sluice::control_plane
