#include "ui/cli/raw_terminal.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "ui/cli/terminal.h"

namespace sluice::cli {
namespace {

// Another screen, so that what stood on this one is there again; no cursor.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";

sigset_t watched_signals() {
  sigset_t out;
  sigemptyset(&out);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) sigaddset(&out, number);
  return out;
}

}  // namespace

void RawTerminal::block_signals() {
  if (::isatty(STDOUT_FILENO) == 0 || ::isatty(STDIN_FILENO) == 0) return;
  const sigset_t watched = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
}

std::optional<RawTerminal> RawTerminal::open() {
  termios former{};
  if (::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &former) != 0) return std::nullopt;
  const sigset_t watched = watched_signals();
  sigset_t mask{};
  ::pthread_sigmask(SIG_BLOCK, &watched, &mask);
  UniqueFd signals(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  termios raw = former;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  (void)print(kEnter);
  return RawTerminal(former, mask, std::move(signals));
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : former_(other.former_),
      mask_(other.mask_),
      signals_(std::move(other.signals_)),
      active_(std::exchange(other.active_, false)) {}

RawTerminal::~RawTerminal() {
  if (!active_) return;
  (void)print(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &former_);
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void RawTerminal::take_signals(News& news) {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGWINCH)
      news.resized = true;
    else
      news.ended = true;
  }
}

RawTerminal::News RawTerminal::wait(int wake) {
  std::array<pollfd, 3> watched{
      {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {wake, POLLIN, 0}}};
  News news;
  while (::poll(watched.data(), watched.size(), -1) < 0) {
    if (errno == EINTR) continue;
    news.ended = true;
    return news;
  }
  if (watched[0].revents != 0) {
    std::array<char, 256> keys{};
    const ssize_t got = ::read(STDIN_FILENO, keys.data(), keys.size());
    if (got > 0) news.keys.assign(keys.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) news.ended = true;
  }
  if (watched[1].revents != 0) take_signals(news);
  if (watched[2].revents != 0) {
    std::uint64_t count = 0;
    news.woken = ::read(wake, &count, sizeof count) == static_cast<ssize_t>(sizeof count);
  }
  return news;
}

}  // namespace sluice::cli
