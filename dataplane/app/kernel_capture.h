// app/kernel_capture.h - CaptureRunner over the kernel room: sockets, nft table, routes, watching.
//
// Owner: main(). Thread: home.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "dataplane/app/capture_runner.h"
#include "dataplane/helper/spawner.h"
#include "dataplane/kernel/capture_owner.h"
#include "dataplane/kernel/lan_addresses.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::app {

class KernelCapture final : public CaptureRunner, private kernel::HelperSource, private Timer {
 public:
  /// `spawner`: nullptr without root; then nothing is captured and error() says why.
  /// `exempt_uids`: users whose own traffic is never captured. `run_dir`: where the keys of our
  /// routes are noted (recovery/route_note.h).
  KernelCapture(Loop& home, SpawnerHandle* spawner, std::vector<std::uint32_t> exempt_uids,
                std::string run_dir);
  ~KernelCapture() override;

  /// Called when state() or error() changed by itself.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

  std::string prepare(const contract::Capture& wanted, unsigned workers) override;
  std::string engage(const contract::Capture& wanted, const std::vector<Prefix>& fakes,
                     DescriptorTable& table) override;
  void discard() override { stage_.reset(); }
  void set_names_served(bool served) override;
  void withdraw() override;
  void abandon() override;
  std::string open_guard() override;
  [[nodiscard]] bool has_shares() const override { return !shares_.empty(); }
  [[nodiscard]] std::vector<CaptureShare> take_shares() override;
  [[nodiscard]] contract::CaptureState state() const override { return state_; }
  [[nodiscard]] std::string error() const override { return error_; }
  [[nodiscard]] contract::Abilities abilities() const override;
  [[nodiscard]] std::vector<std::uint16_t> ports() const override;

 private:
  /// Tells of readiness by calling back.
  class Bell final : public WatchSink {
   public:
    /// `fd` stays the caller's. Errors: no_descriptors, system.
    static Result<std::unique_ptr<Bell>> make(Loop& loop, int fd, std::function<void(Watch&)> ring);
    [[nodiscard]] bool hung_up() const noexcept { return watch_->hung_up(); }

   private:
    Bell(std::unique_ptr<Watch> watch, std::function<void(Watch&)> ring)
        : watch_(std::move(watch)), ring_(std::move(ring)) {}
    void on_ready() noexcept override { ring_(*watch_); }

    std::unique_ptr<Watch> watch_;
    std::function<void(Watch&)> ring_;
  };

  /// Where the open sockets are.
  struct Ports {
    contract::CaptureMode mode{};
    std::uint16_t tcp = 0;
    std::vector<std::uint16_t> udp;  ///< one per worker
  };
  /// Opened by prepare(), not in use yet.
  struct Stage {
    Ports ports;
    std::vector<UniqueFd> tcp;
    std::vector<UniqueFd> udp;
    std::vector<CaptureShare> shares;
  };

  Result<kernel::NftHelper> start_nft_helper() override;
  void fire() noexcept override;
  std::string make_owner();
  std::string apply(const nft::CaptureTable& table, const kernel::RouteNumbers& numbers);
  void commit(Stage stage, DescriptorTable& table);
  void note(std::vector<kernel::RouteKeys> keys);
  void forget_leftovers();
  /// After a change: watches what the kernel holds, or comes back to it soon.
  void keep_up(std::string problem);
  /// What is not watched yet. Errors: no_descriptors, system.
  Status watch();
  Status watch_helper();
  Status watch_links();
  void recover();
  void set_state(contract::CaptureState state, std::string error);
  [[nodiscard]] nft::CaptureTable table_for(const contract::Capture& wanted,
                                            const std::vector<Prefix>& fakes,
                                            const Ports& ports) const;

  Loop& home_;
  SpawnerHandle* spawner_;
  std::vector<std::uint32_t> exempt_uids_;
  std::string run_dir_;
  std::vector<kernel::RouteKeys> noted_;  ///< in the run directory
  std::optional<kernel::CaptureOwner> owner_;
  std::optional<kernel::LinkWatch> links_;
  std::unique_ptr<Bell> helper_bell_;
  std::unique_ptr<Bell> link_bell_;
  std::function<void()> changed_;
  contract::CaptureState state_ = contract::CaptureState::off;
  std::string error_;
  bool names_served_ = false;
  bool blind_ = false;  ///< watch() failed, which was said
  bool tidy_ = false;   ///< leftovers of earlier runs are gone: the first helper sees to that
  std::optional<Ports> ports_;        ///< of the sockets in use
  std::vector<CaptureShare> shares_;  ///< of the same, until they are taken
  std::optional<Stage> stage_;
};

}  // namespace sluice::app
