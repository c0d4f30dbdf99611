// A ConfigFlow over a real loop and real files, with names and data plane played by the test.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/app/config_flow.h"
#include "controlplane/config_store/atomic_file.h"
#include "tests/unit/controlplane/config_store/scratch.h"

namespace sluice::control_plane {

/// Remembers what it was asked; answers as the test says.
class FakePorts final : public ConfigPorts {
 public:
  explicit FakePorts(Loop& home) : home_(home) {}

  void starting(const Running& first) override { started.push_back(first.log_level); }
  void work(std::function<void()> job, std::function<void()> then) override {
    job();
    home_.post(make_job(std::move(then)));
  }
  std::vector<dns::ListenProblem> serve_names(const dns::DnsOptions& options) override {
    names.push_back(options);
    return std::exchange(problems, {});
  }
  [[nodiscard]] std::vector<contract::DnsPort> hijack_ports() const override { return ports; }
  [[nodiscard]] bool data_plane_up() const override { return up; }
  void push(contract::Manifest manifest, std::vector<contract::BlobPtr>,
            std::function<void(contract::Verdict)> done) override {
    pushed.push_back(std::move(manifest));
    if (hold) {
      held = std::move(done);
      return;
    }
    if (refusal) {
      const Refusal said = refused_once ? *std::exchange(refusal, std::nullopt) : *refusal;
      return done({false, generation, said.reason, said.place});
    }
    done({true, ++generation, {}, {}});
  }
  void adopted(const RunningPtr& running) override { in_force.push_back(running); }

  void release() { std::exchange(held, nullptr)({true, ++generation, {}, {}}); }

  bool up = true;
  bool hold = false;  ///< verdicts wait for release()
  std::function<void(contract::Verdict)> held;
  std::optional<Refusal> refusal;
  bool refused_once = false;                 ///< `refusal` is for the next push only
  std::vector<dns::ListenProblem> problems;  ///< of the next serve_names
  std::vector<contract::DnsPort> ports;
  std::uint64_t generation = 0;
  std::vector<dns::DnsOptions> names;
  std::vector<contract::Manifest> pushed;
  std::vector<RunningPtr> in_force;
  std::vector<LogLevel> started;

 private:
  Loop& home_;
};

class FlowRig : public ::testing::Test {
 protected:
  FlowRig()
      : home(*Loop::make()),
        ports(*home),
        file(scratch.path("config.yaml")),
        source(file, UniqueFd()),
        flow(std::make_unique<ConfigFlow>(*home, ports, source, preparer,
                                          config_store::History(scratch.path("history")),
                                          last_good())) {}

  [[nodiscard]] config_store::LastGood last_good() const {
    return config_store::LastGood(scratch.path("last-good.yaml"));
  }

  void write(const std::string& text) { ASSERT_TRUE(config_store::replace_file(file, text)); }
  [[nodiscard]] std::string read() const { return *config_store::read_file(file); }

  /// Turns the loop until `done`, for at most ten seconds.
  template <class Condition>
  [[nodiscard]] bool turn_until(Condition done) {
    const Moment end = monotonic_now() + Millis{10'000};
    while (!done()) {
      if (monotonic_now() > end) return false;
      home->run_once(Millis{20});
    }
    return true;
  }
  /// Everything that was queued before it has ended.
  void settle() {
    bool ended = false;
    flow->confirm(manage::Reply<void>([&ended](const manage::Answer<void>&) { ended = true; }));
    EXPECT_TRUE(turn_until([&] { return ended; }));
  }

  std::optional<Refusal> start(const std::string& text, bool restarted = false) {
    write(text);
    std::optional<std::optional<Refusal>> outcome;
    First first{preparer.prepare(text, file), {}, restarted};
    first.broken = first_error(first.file.diagnostics);
    flow->start(std::move(first),
                [&](const std::optional<Refusal>& refusal) { outcome = refusal; });
    EXPECT_TRUE(turn_until([&] { return outcome.has_value(); }));
    return outcome.value_or(std::nullopt);
  }

  manage::Answer<manage::ApplyReport> apply(const std::string& text, bool once = false,
                                            std::uint32_t confirm_seconds = 0) {
    std::optional<manage::Answer<manage::ApplyReport>> out;
    flow->apply(
        {{"new.yaml", text}, once, confirm_seconds},
        manage::Reply<manage::ApplyReport>(
            [&out](manage::Answer<manage::ApplyReport> answer) { out = std::move(answer); }));
    EXPECT_TRUE(turn_until([&] { return out.has_value(); }));
    return std::move(*out);
  }
  manage::Answer<manage::RollbackReport> rollback(std::uint32_t steps) {
    std::optional<manage::Answer<manage::RollbackReport>> out;
    flow->rollback(steps, manage::Reply<manage::RollbackReport>(
                              [&out](manage::Answer<manage::RollbackReport> answer) {
                                out = std::move(answer);
                              }));
    EXPECT_TRUE(turn_until([&] { return out.has_value(); }));
    return std::move(*out);
  }

  config_store::Scratch scratch;
  std::unique_ptr<Loop> home;
  FakePorts ports;
  std::string file;
  ConfigSource source;
  Preparer preparer{{file, {scratch.path(), {}, false}}};
  std::unique_ptr<ConfigFlow> flow;  // last: its frames use the members above
};

}  // namespace sluice::control_plane
