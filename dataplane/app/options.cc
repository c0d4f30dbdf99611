#include "dataplane/app/options.h"

#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/common/text.h"
#include "proto/runtime/process/paths.h"

namespace sluice::app {
namespace {

struct Parser {
  Options out;
  std::string error;

  bool number(std::string_view name, std::string_view text, std::uint64_t max,
              std::uint64_t& into) {
    const auto value = parse_number(text, max);
    if (!value) {
      error = std::string(name) + " wants a number, not \"" + std::string(text) + "\"";
      return false;
    }
    into = *value;
    return true;
  }

  bool take(std::string_view name, std::string_view value) {
    std::uint64_t n = 0;
    if (name == kOptionRunDirectory) {
      out.run_dir = value;
    } else if (name == kOptionUser) {
      out.user = value;
    } else if (name == kOptionHelperDirectory) {
      out.helper_dir = value;
    } else if (name == kOptionControlUid) {
      if (!number(name, value, UINT32_MAX, n)) return false;
      out.control_uid = static_cast<uid_t>(n);
    } else if (name == kOptionControlGid) {
      if (!number(name, value, UINT32_MAX, n)) return false;
      out.control_gid = static_cast<gid_t>(n);
    } else if (name == kOptionSupervisorFd) {
      if (!number(name, value, 1024, n)) return false;
      out.supervisor_fd = static_cast<int>(n);
    } else if (name == "--workers") {
      if (!number(name, value, 64, n)) return false;
      out.workers = static_cast<unsigned>(n);
    } else {
      error = "unknown option " + std::string(name) + "; see --help";
      return false;
    }
    return true;
  }
};

}  // namespace

std::expected<Options, std::string> parse_options(int argc, char** argv) {
  Parser parser;
  parser.out.control_uid = ::getuid();
  parser.out.control_gid = ::getgid();
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help" || words[i] == "-h") {
      parser.out.help = true;
      return parser.out;
    }
    if (words[i] == "--version" || words[i] == "-v") {
      parser.out.version = true;
      return parser.out;
    }
    if (i + 1 == words.size())
      return std::unexpected(std::string(words[i]) + " wants a value; see --help");
    if (!parser.take(words[i], words[i + 1])) return std::unexpected(parser.error);
    ++i;
  }
  if (parser.out.run_dir.empty())
    return std::unexpected(std::string("--run-dir is missing; `sluice run` starts this program"));
  return parser.out;
}

const char* usage() noexcept {
  return "usage: sluice-dataplane --run-dir DIR [options]\n"
         "\n"
         "The privileged half of sluice: relays traffic as the control plane tells it.\n"
         "`sluice run` starts it; there is no need to call it by hand.\n"
         "\n"
         "  --run-dir DIR        where contract.sock, dial.sock and the last good state are\n"
         "  --control-uid UID    the user of the control plane (default: this user)\n"
         "  --control-gid GID    the group of both sockets (default: this group)\n"
         "  --user NAME          become this user after start\n"
         "  --helper-dir DIR     where sluice-nft is (default: beside this program)\n"
         "  --supervisor-fd N    drain and exit at end of file on this descriptor\n"
         "  --workers N          threads that relay (default: one per core)\n"
         "  --version, --help\n";
}

}  // namespace sluice::app
