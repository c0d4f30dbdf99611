// cli/raw_terminal.h - keys one by one and a screen of our own, as long as it lives.
//
// The former state comes back when it is destroyed, also on INT, TERM, HUP and QUIT, which end
// wait() instead of the program. Owner: one function. Thread: the one that made it.
#pragma once

#include <termios.h>

#include <csignal>
#include <optional>
#include <string>

#include "proto/common/unique_fd.h"

namespace sluice::cli {

class RawTerminal {
 public:
  /// Before any other thread there is, where one will be opened: a signal that another thread takes
  /// would end the program as it stands.
  static void block_signals();
  /// Nothing when standard input or output is no terminal.
  [[nodiscard]] static std::optional<RawTerminal> open();
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal();

  struct News {
    bool ended = false;  ///< a signal, or nobody sits there any more
    bool resized = false;
    bool woken = false;  ///< `wake` became readable; it is read empty
    std::string keys;
  };
  /// Sleeps until something happens. `wake`: an eventfd.
  [[nodiscard]] News wait(int wake);

 private:
  RawTerminal(const termios& former, const sigset_t& mask, UniqueFd signals) noexcept
      : former_(former), mask_(mask), signals_(std::move(signals)) {}
  void take_signals(News& news);

  termios former_;
  sigset_t mask_;
  UniqueFd signals_;
  bool active_ = true;
};

}  // namespace sluice::cli
