// sluice-nft - owns the nft table for the data plane.
//
//   sluice-nft --fd N         serves commands on descriptor N until end of file (started by the
//                             spawner as the data plane's user with CAP_NET_ADMIN alone)
//   sluice-nft --lift-guard   removes a fail-closed guard that an earlier run left (by hand, root)
//
// Exit codes: exit_code.h.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "dataplane/helper/server.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/privileges.h"
#include "proto/runtime/process/syscall_filter.h"

namespace sluice::nft {
namespace {

int exit_with(ExitCode code, const char* step, const Error& error) {
  SLUICE_LOG(error, "nft", "step=%s %s", step, describe(error).c_str());
  return to_int(code);
}

/// Started by the spawner nothing is left to drop but what exec handed on; by hand everything is.
Status confine() {
  const PrivilegePlan plan{::getuid(), ::getgid(), {}, kNftHelperCaps};
  if (Status s = drop_privileges(plan); !s) return s;
  return apply_seccomp(SeccompProfile::nft_helper);
}

int run(std::string_view mode, int peer) {
  Result<NftSocket> socket = NftSocket::open();
  const bool absent = !socket && socket.error().sys == EPROTONOSUPPORT;
  if (!socket && !absent) return exit_with(ExitCode::failure, "open-netlink", socket.error());
  if (Status s = confine(); !s) return exit_with(ExitCode::failure, "confine", s.error());
  if (absent) {
    // The data plane says it where the user looks. Without nf_tables there is no guard to lift.
    if (peer >= 0) (void)serve_without_netfilter(peer);
    return to_int(peer >= 0 ? ExitCode::missing_feature : ExitCode::ok);
  }
  const auto server = std::make_unique<Server>(std::move(*socket));
  if (mode == "--lift-guard") {
    Request request;
    request.command = Command::remove_guard;
    const Verdict verdict = server->run(request);
    if (verdict.error == 0) return to_int(ExitCode::ok);
    SLUICE_LOG(error, "nft", "step=lift-guard %s", verdict.text.c_str());
    return to_int(ExitCode::failure);
  }
  if (Status s = server->serve(peer); !s) return exit_with(ExitCode::failure, "serve", s.error());
  return to_int(ExitCode::ok);
}

int start(int count, char** words) {
  set_log_process("sluice-nft");
  const std::string_view mode = count > 1 ? words[1] : "";
  if (mode == "--lift-guard" && count == 2) return run(mode, -1);
  int peer = -1;
  if (mode == "--fd" && count == 3) {
    const char* end = words[2] + std::strlen(words[2]);
    const auto parsed = std::from_chars(words[2], end, peer);
    if (parsed.ec == std::errc{} && parsed.ptr == end && peer > STDERR_FILENO)
      return run(mode, peer);
  }
  SLUICE_LOG(error, "nft", "usage: sluice-nft --fd N | --lift-guard");
  return to_int(ExitCode::usage);
}

}  // namespace
}  // namespace sluice::nft

int main(int count, char** words) {
  return sluice::nft::start(count, words);
}
