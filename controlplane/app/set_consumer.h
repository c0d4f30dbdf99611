// app/set_consumer.h - judges the bytes of one set's source, and tells when others are in force
// than those that were compiled.
//
//   accept   work thread   Shelf: read to the last entry, remembered ── bad: a sentence
//   hold     work thread   Shelf: in memory, since the disk does not take it
//   adopt    home          in force; other than compiled() ──> changed()
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "controlplane/provider/consumer.h"
#include "controlplane/ruleset/shelf.h"

namespace sluice::control_plane {

class SetConsumer final : public provider::Consumer {
 public:
  /// `shelf` outlives the work thread.
  SetConsumer(sets::Shelf& shelf, sets::Source source, std::function<void()> changed)
      : shelf_(shelf), source_(std::move(source)), changed_(std::move(changed)) {}

  provider::Accepted accept(ByteView bytes) override;
  void hold(ByteView bytes) override { shelf_.hold(source_, bytes); }
  void adopt() override;
  void settled() override {}

  /// What the running configuration was compiled from. Home.
  void compiled(const contract::Digest& content) noexcept { compiled_ = content; }
  /// Home, once its provider is gone: nobody is told any more.
  void retire() noexcept { changed_ = nullptr; }

  struct InForce {
    contract::Digest digest{};  ///< zero: nothing
    ruleformats::Tally tally;
  };
  /// Home.
  [[nodiscard]] const InForce& in_force() const noexcept { return in_force_; }

 private:
  sets::Shelf& shelf_;
  const sets::Source source_;
  std::function<void()> changed_;
  InForce taken_;     // work thread until its job is done, then home
  InForce in_force_;  // home
  contract::Digest compiled_{};
};

}  // namespace sluice::control_plane
