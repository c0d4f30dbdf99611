// A plane that only writes down what happens to it, one line per event, into $FAKE_LOG.
//
//   $FAKE_EXIT_<program>=N   exits with N at once        $FAKE_STUBBORN=1   ignores SIGTERM
//   $FAKE_REPLACE=TEXT       the control plane replaces the configuration by TEXT
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "proto/runtime/process/paths.h"
#include "proto/runtime/process/privileges.h"
#include "proto/runtime/process/supervisor_link.h"

namespace {

using namespace sluice;

void note(const std::string& line) {
  const UniqueFd log(::open(std::getenv("FAKE_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC));
  (void)!::write(log.get(), (line + "\n").c_str(), line.size() + 1);
}

void use_config(SupervisorLink& link) {
  const Result<UniqueFd> file = link.open_config(2_s);
  std::string text(64, '\0');
  const ssize_t size = file ? ::read(file->get(), text.data(), text.size()) : -1;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  note("config " + text);
  const char* replacement = std::getenv("FAKE_REPLACE");
  if (replacement == nullptr || text == replacement) return;
  const UniqueFd content(::memfd_create("config", MFD_CLOEXEC));
  (void)!::write(content.get(), replacement, std::strlen(replacement));
  note(link.replace_config(content.get(), 2_s) ? "replaced" : "not replaced");
}

void live(const std::string& name, int link) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGHUP, SIGTERM}) ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  const UniqueFd signals(::signalfd(-1, &wanted, SFD_CLOEXEC));
  note(name + " up " + std::to_string(::getpid()));
  for (;;) {
    pollfd events[2] = {{signals.get(), POLLIN, 0}, {link, POLLIN, 0}};
    ::poll(events, 2, -1);
    if (events[1].revents != 0) {
      note(name + " orphaned");
      return;
    }
    signalfd_siginfo info{};
    if (::read(signals.get(), &info, sizeof info) != sizeof info) continue;
    note(name + (info.ssi_signo == SIGHUP ? " hup" : " term"));
    if (info.ssi_signo == SIGTERM && std::getenv("FAKE_STUBBORN") == nullptr) return;
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string name = words[0];
  int link = -1;
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(words[i], kOptionSupervisorFd) == 0) link = std::atoi(words[i + 1]);
    if (std::strcmp(words[i], kOptionRestarted) == 0) note(name + " restarted");
  }
  if (const char* code = std::getenv(("FAKE_EXIT_" + name).c_str())) return std::atoi(code);
  note(name + " uid " + std::to_string(::getuid()) + " caps " + std::to_string(effective_caps()));
  SupervisorLink supervisor{UniqueFd(link)};
  if (name == kControlPlaneProgram) use_config(supervisor);
  live(name, supervisor.fd());
  return 0;
}
