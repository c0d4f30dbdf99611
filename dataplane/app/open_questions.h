// app/open_questions.h - what a helper was asked and has not answered. Time is a parameter.
//
// Owner: ProcessHelper. Thread: home.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/common/clock.h"

namespace sluice::app {

class OpenQuestions {
 public:
  /// More at the same time are not asked.
  static constexpr std::size_t kMax = 1024;

  /// A worker counts its own questions; two of them count alike.
  struct Asker {
    std::uint64_t id = 0;
    unsigned worker = 0;
  };

  [[nodiscard]] bool full() const noexcept { return asked_.size() >= kMax; }
  /// The number under which the helper is asked. Needs !full().
  std::uint32_t put(const Asker& asker, Moment now) {
    asked_.emplace(++last_, Asked{asker, now});
    return last_;
  }
  /// Empty when nobody waits for it.
  std::optional<Asker> take(std::uint32_t number) {
    const auto found = asked_.extract(number);
    return found.empty() ? std::nullopt : std::optional(found.mapped().asker);
  }
  std::vector<Asker> take_all() {
    std::vector<Asker> out;
    for (const auto& [number, asked] : std::exchange(asked_, {})) out.push_back(asked.asker);
    return out;
  }
  /// When the one that waits longest was asked; never() when none waits.
  [[nodiscard]] Moment oldest() const noexcept {
    Moment out = Moment::never();
    for (const auto& [number, asked] : asked_) out = std::min(out, asked.at);
    return out;
  }

 private:
  struct Asked {
    Asker asker;
    Moment at;
  };
  std::uint32_t last_ = 0;
  std::unordered_map<std::uint32_t, Asked> asked_;
};

}  // namespace sluice::app
