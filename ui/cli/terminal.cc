#include "ui/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace sluice::cli {
namespace {

/// Serial consoles report a size of 0.
constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kUsualHeight = 24;

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Terminal terminal() {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return {true, size.ws_col == 0 ? kUsualWidth : size.ws_col,
          size.ws_row == 0 ? kUsualHeight : size.ws_row};
}

bool print(std::string_view text) {
  return write_all(STDOUT_FILENO, text);
}

void print_error(std::string_view text) {
  (void)write_all(STDERR_FILENO, text);
}

void complain(std::string_view text) {
  print_error("sluice: " + std::string(text) + "\n");
}

}  // namespace sluice::cli
