#include "dataplane/helper/spawner.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include "proto/common/cursor.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"
#include "proto/runtime/process/exit_code.h"
#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/syscall_filter.h"

extern char** environ;

namespace sluice {

namespace {

constexpr int kHelperSocket = STDERR_FILENO + 1;  // what `--fd 3` names
constexpr std::size_t kRequestBytes = 5;
constexpr std::size_t kReplyBytes = 12;

/// One kind of helper.
struct Recipe {
  const char* name;
  CapMask caps;
  int program;
};

std::optional<Recipe> recipe_of(HelperKind kind, const HelperBinaries& binaries) noexcept {
  switch (kind) {
    case HelperKind::nft:
      return Recipe{kNftProgram, kNftHelperCaps, binaries.nft.get()};
    case HelperKind::proc:
      return Recipe{kProcProgram, kProcHelperCaps, binaries.proc.get()};
  }
  return std::nullopt;
}

/// In the helper's process: only its socket, its capabilities and the standard streams stay, then
/// the program starts. Returns the errno of what failed.
int become_helper(const Recipe& recipe, int program, int socket, int failure) noexcept {
  // dup2 clears close-on-exec; a socket that is already there needs it cleared by hand.
  if (socket == kHelperSocket) {
    if (!set_close_on_exec(socket, false)) return errno;
  } else if (::dup2(socket, kHelperSocket) < 0) {
    return errno;
  }
  const std::array<int, 3> keep{kHelperSocket, program, failure};
  close_descriptors_except(keep);
  if (Status s = drop_privileges({::getuid(), ::getgid(), {}, recipe.caps, true}); !s)
    return s.error().sys != 0 ? s.error().sys : EPERM;
  std::string name = recipe.name;
  std::string option = "--fd";
  std::string value = std::to_string(kHelperSocket);
  char* const arguments[] = {name.data(), option.data(), value.data(), nullptr};
  return execute_descriptor(program, arguments, environ);
}

struct Started {
  UniqueFd socket;
  pid_t pid = -1;
  int error = 0;
};

/// Forks a helper and waits until its program runs: the pipe closes by exec, or carries an errno.
Started start_helper(const Recipe& recipe) {
  Started started;
  if (recipe.program < 0) {
    started.error = ENOENT;
    return started;
  }
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  std::array<int, 2> ends{};
  if (!pair || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    started.error = pair ? errno : pair.error().sys;
    return started;
  }
  UniqueFd failure_in(ends[0]);
  UniqueFd failure_out(ends[1]);
  // Both must lie above the number that the child moves its socket to.
  UniqueFd high_failure(::fcntl(failure_out.get(), F_DUPFD_CLOEXEC, kHelperSocket + 1));
  UniqueFd high_program(::fcntl(recipe.program, F_DUPFD_CLOEXEC, kHelperSocket + 1));
  failure_out.reset();
  started.pid = ::fork();
  if (started.pid == 0) {
    const int error =
        become_helper(recipe, high_program.get(), pair->theirs.get(), high_failure.get());
    (void)!::write(high_failure.get(), &error, sizeof error);
    ::_exit(to_int(ExitCode::failure));
  }
  if (started.pid < 0) started.error = errno;
  high_failure.reset();
  int error = 0;
  if (started.pid > 0 && ::read(failure_in.get(), &error, sizeof error) == sizeof error)
    started.error = error;
  if (started.error == 0) started.socket = std::move(pair->ours);
  return started;
}

Status answer(int peer, std::uint32_t id, const Started& started) {
  std::array<std::byte, kReplyBytes> wire{};
  Writer out{wire};
  out.u32be(id);
  out.u32be(static_cast<std::uint32_t>(started.error));
  out.u32be(static_cast<std::uint32_t>(started.pid));
  if (started.error != 0) return send_message(peer, wire);
  const std::array<int, 1> fds{started.socket.get()};
  return send_message(peer, wire, fds);
}

void reap_helpers() noexcept {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

/// The spawner's life. Returns at end of file or at a request that is none.
Status serve(int peer, const HelperBinaries& binaries) {
  for (;;) {
    std::array<std::byte, kRequestBytes> request{};
    const Result<ReceivedMessage> message = receive_message(peer, request);
    if (!message) return fail(message.error());
    if (message->size == 0) return {};
    Reader in{ByteView(request).first(message->size)};
    const std::optional<Recipe> recipe = recipe_of(static_cast<HelperKind>(in.u8()), binaries);
    const std::uint32_t id = in.u32be();
    if (in.short_read() || !recipe) return fail(Errc::unsupported);
    if (Status s = answer(peer, id, start_helper(*recipe)); !s) return s;
  }
}

void on_child(int) {
  reap_helpers();
}

[[noreturn]] void run_spawner(UniqueFd peer, const HelperBinaries& binaries, uid_t uid, gid_t gid) {
  set_log_process("spawner");
  (void)::prctl(PR_SET_NAME, "sluice-spawner", 0, 0, 0);
  const std::array<int, 3> keep{peer.get(), binaries.nft.get(), binaries.proc.get()};
  close_descriptors_except(keep);
  // Reaped as they die, whenever that is. The data plane's own handlers are not ours.
  for (const int inherited : {SIGINT, SIGTERM, SIGHUP}) ::signal(inherited, SIG_IGN);
  struct sigaction action{};
  action.sa_handler = &on_child;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  (void)::sigaction(SIGCHLD, &action, nullptr);

  // A container's root may lack what only sluice-proc needs; that helper then fails to start.
  const CapMask caps = kNftHelperCaps | (kSpawnerCaps & effective_caps());
  Status status = drop_privileges({uid, gid, {}, caps, true});
  if (status) status = apply_seccomp(SeccompProfile::spawner);
  if (status) status = serve(peer.get(), binaries);
  if (!status) SLUICE_LOG(error, "spawner", "ends: %s", describe(status.error()).c_str());
  ::_exit(to_int(status ? ExitCode::ok : ExitCode::failure));
}

}  // namespace

Result<HelperBinaries> open_helpers(const char* directory) {
  const auto open_program = [&](const char* name) {
    return UniqueFd(::open((std::string(directory) + "/" + name).c_str(), O_PATH | O_CLOEXEC));
  };
  HelperBinaries binaries;
  binaries.proc = open_program(kProcProgram);
  binaries.nft = open_program(kNftProgram);
  if (binaries.nft.valid()) return binaries;
  if (errno == ENOENT) return fail(Errc::not_found, Side::us, errno);
  return fail_errno(errno);
}

Result<SpawnerHandle> start_spawner(HelperBinaries binaries, uid_t uid, gid_t gid) {
  Result<SocketPair> pair = make_socket_pair(SOCK_SEQPACKET);
  if (!pair) return fail(pair.error());
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno);
  if (pid == 0) {
    pair->ours.reset();
    run_spawner(std::move(pair->theirs), binaries, uid, gid);
  }
  return SpawnerHandle(std::move(pair->ours), pid);
}

Result<HelperProcess> SpawnerHandle::spawn(HelperKind kind, Millis timeout) {
  const Moment deadline = monotonic_now() + timeout;
  const std::uint32_t id = ++last_id_;
  std::array<std::byte, kRequestBytes> request{};
  Writer out{request};
  out.u8(static_cast<std::uint8_t>(kind));
  out.u32be(id);
  if (Status s = send_message(socket_.get(), request); !s) return fail(s.error());
  return await(id, deadline);
}

Result<HelperProcess> SpawnerHandle::await(std::uint32_t id, Moment deadline) {
  for (;;) {
    const Millis left = deadline - monotonic_now();
    if (left.count < 0) return fail(Errc::timeout);
    if (Status s = wait_readable(socket_.get(), static_cast<int>(left.count)); !s)
      return fail(s.error());
    std::array<std::byte, kReplyBytes> wire{};
    Result<ReceivedMessage> message = receive_message(socket_.get(), wire);
    if (!message) return fail(message.error());
    if (message->size == 0) return fail(Errc::closed);
    Reader in{ByteView(wire).first(message->size)};
    const std::uint32_t asked = in.u32be();
    const auto error = static_cast<int>(in.u32be());
    const auto pid = static_cast<pid_t>(in.u32be());
    if (in.short_read() || in.left() != 0) return fail(Errc::malformed);
    if (asked != id) continue;
    if (error != 0) return fail_errno(error);
    if (message->fd_count != 1) return fail(Errc::malformed);
    return HelperProcess{std::move(message->fds[0]), pid};
  }
}

}  // namespace sluice
