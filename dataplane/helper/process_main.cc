// sluice-proc - tells the data plane which program holds a socket.
//
//   sluice-proc --fd N    serves questions on descriptor N until end of file (started by the
//                         spawner as the data plane's user with CAP_SYS_PTRACE and
//                         CAP_DAC_READ_SEARCH alone, while a rule of the running snapshot asks)
//
// Exit codes: exit_code.h.
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "dataplane/helper/process_server.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/privileges.h"
#include "proto/runtime/process/syscall_filter.h"

namespace sluice::proc {
namespace {

int exit_with(const char* step, const Error& error) {
  SLUICE_LOG(error, "proc", "step=%s %s", step, describe(error).c_str());
  return to_int(ExitCode::failure);
}

Status confine() {
  if (Status s = drop_privileges({::getuid(), ::getgid(), {}, kProcHelperCaps}); !s) return s;
  return apply_seccomp(SeccompProfile::proc_helper);
}

int run(int peer) {
  Result<ProcessFinder> finder = ProcessFinder::open();
  if (!finder) return exit_with("open-proc", finder.error());
  if (Status s = confine(); !s) return exit_with("confine", s.error());
  if (Status s = serve(peer, *finder); !s && s.error().code != Errc::closed)
    return exit_with("serve", s.error());
  return to_int(ExitCode::ok);
}

int start(int count, char** words) {
  set_log_process("sluice-proc");
  int peer = -1;
  if (count == 3 && std::string_view(words[1]) == "--fd") {
    const char* end = words[2] + std::strlen(words[2]);
    const auto parsed = std::from_chars(words[2], end, peer);
    if (parsed.ec == std::errc{} && parsed.ptr == end && peer > STDERR_FILENO) return run(peer);
  }
  SLUICE_LOG(error, "proc", "usage: sluice-proc --fd N");
  return to_int(ExitCode::usage);
}

}  // namespace
}  // namespace sluice::proc

int main(int count, char** words) {
  return sluice::proc::start(count, words);
}
