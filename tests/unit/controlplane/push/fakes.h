// A data plane and a control plane that only remember, for tests of the contract between them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "controlplane/push/client.h"
#include "dataplane/control/control_server.h"
#include "proto/common/unix_socket.h"
#include "tests/unit/dataplane/recovery/temp_dir.h"

namespace sluice::test {

/// State under one mutex; wait() looks again at each change and every 20 ms.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    return true;
  }
  template <class Change>
  auto locked(Change change) {
    const std::lock_guard lock(mutex);
    changed.notify_all();
    return change();
  }
};

class FakeCore final : public control::Core, public Shared {
 public:
  void attach(control::ControlLink* link) override {
    locked([&] {
      link_ = link;
      if (link == nullptr) held_.clear();
    });
  }
  contract::HelloReply hello() override {
    return locked([&] {
      ++hellos_;
      return contract::HelloReply{.generation = generation_};
    });
  }
  void apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs,
             control::Done<contract::Verdict> done) override {
    const std::string name = manifest.outbounds.empty() ? "" : manifest.outbounds[0].name;
    const bool silent = locked([&] {
      offered_ += name + " ";
      return name == silent_about_;
    });
    if (silent) {
      locked([&] { held_.push_back(std::move(done)); });
      return;
    }
    done(locked([&]() -> contract::Verdict {
      if (name == refused_name_) return {false, generation_, "is odd", "outbounds[0].name"};
      if (refusal_) {
        const auto refused = *std::exchange(refusal_, std::nullopt);
        return {false, generation_, refused.second, refused.first};
      }
      order_ += "apply ";
      ++applied_;
      manifest_ = std::move(manifest);
      blob_bytes_ = blobs.empty() ? 0 : blobs[0]->bytes.size();
      return {true, ++generation_, "", ""};
    }));
  }
  void select(std::vector<contract::GroupChoice> choices, control::Done<Status> done) override {
    for (const auto& choice : choices)
      if (choice.group != "G") return done(fail(Errc::not_found));
    locked([&] { chosen_ = std::move(choices); });
    done({});
  }
  /// Carried over from one manifest to the next, as those of a snapshot are.
  std::vector<contract::GroupChoice> choices() override {
    return locked([&] { return chosen_; });
  }
  void read_rules(control::Done<contract::RuleStates> done) override {
    done(locked([&] {
      contract::RuleStates out;
      out.generation = generation_;
      out.unmatched = 3;
      for (std::uint32_t i = 0; i < lines_; ++i)
        out.lines.push_back({i, 2ULL * i, i, off_.contains(i)});
      return out;
    }));
  }
  void set_rules(contract::RuleSwitches switches, control::Done<contract::Verdict> done) override {
    done(locked([&]() -> contract::Verdict {
      if (switches.generation != generation_)
        return {false, generation_, "is another one", "generation"};
      for (const contract::RuleSwitch& line : switches.lines) {
        if (line.disabled)
          off_.insert(line.index);
        else
          off_.erase(line.index);
      }
      return {true, generation_, "", ""};
    }));
  }
  void bind_names(contract::BindingBatch batch, control::Done<bool> done) override {
    locked([&] {
      order_ += "bind ";
      if (batch.replace) names_.clear();
      for (const auto& address : batch.remove) names_.erase(address);
      for (const auto& binding : batch.add) names_[binding.address] = binding.name;
    });
    done(true);
  }
  void name_answer(contract::NameAnswer answer) override {
    locked([&] {
      EXPECT_FALSE(answers_.contains(answer.id));
      answers_[answer.id] = std::move(answer);
    });
  }
  void control_back() override {
    locked([&] { control_ = true; });
  }
  void control_lost() override {
    locked([&] { control_ = false; });
  }
  void list_flows(control::Done<std::vector<contract::FlowInfo>> done) override {
    done(locked([&] { return flows_; }));
  }
  void watch_flows(bool on) override {
    locked([&] { watched_ = on; });
  }
  void close_flows(std::vector<std::uint64_t> ids, control::Done<std::uint64_t> done) override {
    std::vector<contract::FlowInfo> closed;
    locked([&] {
      std::erase_if(flows_, [&](const contract::FlowInfo& flow) {
        if (std::ranges::find(ids, flow.id) == ids.end()) return false;
        closed.push_back(flow);
        return true;
      });
    });
    const auto count = closed.size();
    link_->flows_closed(std::move(closed));
    done(count);
  }
  void close_all_flows(control::Done<std::uint64_t> done) override {
    done(locked([&] { return std::exchange(flows_, {}).size(); }));
  }
  void explain(const contract::ExplainQuery& query,
               control::Done<Result<contract::Explanation>> done) override {
    contract::Explanation out;
    out.rule_payload = query.destination.name;
    done(out);
  }
  /// Answers from another thread, as workers do.
  void take_counters(control::Done<std::vector<contract::CounterDelta>> done) override {
    auto deltas = locked([&] { return std::exchange(deltas_, {}); });
    std::thread([done = std::move(done), deltas = std::move(deltas)] { done(deltas); }).detach();
  }

  void read_memory(control::Done<contract::MemoryReport> done) override {
    done({{.name = "slices",
           .used_bytes = 4096,
           .items = 1,
           .when_full = contract::WhenFull::waits}});
  }

  void refuse_next(std::string place, std::string reason) {
    locked([&] { refusal_ = {std::move(place), std::move(reason)}; });
  }
  /// Manifests whose first outbound has this name never get a verdict, or are always refused.
  void say_nothing_about(std::string name) {
    locked([&] { silent_about_ = std::move(name); });
  }
  void refuse_all(std::string name) {
    locked([&] { refused_name_ = std::move(name); });
  }
  /// Those get their verdict now: they were accepted.
  void answer_silent() {
    for (const auto& done : locked([&] { return std::exchange(held_, {}); }))
      done(locked([&]() -> contract::Verdict { return {true, ++generation_, "", ""}; }));
  }
  /// First outbounds of all manifests that came, the replayed ones included: "a b b ".
  std::string offered() {
    return locked([&] { return offered_; });
  }
  bool wait_offered(const std::string& names) {
    return wait([&] { return offered_ == names; });
  }
  /// Each session begins with one.
  bool wait_hellos(int times) {
    return wait([&] { return hellos_ >= times; });
  }
  void count(std::uint64_t bytes) {
    locked([&] { deltas_.push_back({{.outbound = "DIRECT"}, bytes, 0, 1}); });
  }
  void set_lines(std::uint32_t count) {
    locked([&] { lines_ = count; });
  }
  void set_flows(std::vector<contract::FlowInfo> flows) {
    locked([&] { flows_ = std::move(flows); });
  }
  bool wait_control(bool there) {
    return wait([&] { return control_ == there; });
  }
  bool control() {
    return locked([&] { return control_; });
  }
  control::ControlLink* link() {
    return locked([&] { return link_; });
  }
  std::size_t applied_count() {
    return locked([&] { return applied_; });
  }
  [[nodiscard]] std::size_t applied_unlocked() const { return applied_; }
  [[nodiscard]] bool watched_unlocked() const { return watched_; }
  [[nodiscard]] const auto& answers_unlocked() const { return answers_; }
  auto answers() {
    return locked([&] { return answers_; });
  }
  std::size_t blob_bytes() {
    return locked([&] { return blob_bytes_; });
  }
  contract::Manifest manifest() {
    return locked([&] { return manifest_; });
  }
  std::map<IpAddress, std::string> names() {
    return locked([&] { return names_; });
  }
  std::string order() {
    return locked([&] { return order_; });
  }
  void clear_order() {
    locked([&] { order_.clear(); });
  }

 private:
  control::ControlLink* link_ = nullptr;
  std::uint64_t generation_ = 0;
  std::optional<std::pair<std::string, std::string>> refusal_;
  std::string silent_about_ = "nobody";
  std::string refused_name_ = "nobody";
  std::string offered_;
  std::vector<control::Done<contract::Verdict>> held_;
  contract::Manifest manifest_;
  std::vector<contract::GroupChoice> chosen_;
  std::uint32_t lines_ = 0;
  std::set<std::uint32_t> off_;
  int hellos_ = 0;
  std::size_t applied_ = 0;
  std::size_t blob_bytes_ = 0;
  std::string order_;
  std::map<IpAddress, std::string> names_;
  std::map<std::uint64_t, contract::NameAnswer> answers_;
  bool control_ = false;
  bool watched_ = false;
  std::vector<contract::FlowInfo> flows_;
  std::vector<contract::CounterDelta> deltas_;
};

class FakeEvents final : public push::Events, public Shared {
 public:
  enum class Store {
    normal,
    never,     ///< not stored, no answer
    silently,  ///< stored, no acknowledgement
    refused,   ///< not stored, and said so
  };

  void up(const contract::HelloReply&, const contract::Verdict& verdict) override {
    locked([&] {
      ++ups_;
      verdict_ = verdict;
    });
  }
  void down(const std::string&) override {
    locked([&] { ++downs_; });
  }
  void resolve(const contract::NameQuery& query, push::Done<contract::NameAnswer> done) override {
    if (!locked([&] { return answering_; })) return;
    contract::NameAnswer out;
    out.addresses = {IpAddress::v4(static_cast<std::uint32_t>(query.id))};
    done(out);
  }
  void all_bindings(push::Done<std::vector<contract::Binding>> done) override {
    done(locked([&] { return bindings_; }));
  }
  void counter_cursor(push::Done<contract::CounterCursor> done) override {
    done(locked([&] { return cursor_; }));
  }
  void commit(const contract::CounterBatch& batch, push::Done<bool> done) override {
    const Store how = locked([&] {
      ++offered_;
      const bool again = batch.epoch == cursor_.epoch && batch.sequence <= cursor_.sequence;
      if ((store_ == Store::normal || store_ == Store::silently) && !again) {
        for (const auto& delta : batch.deltas) total_ += delta.upload;
        cursor_ = {batch.epoch, batch.sequence};
      }
      return store_;
    });
    if (how == Store::normal || how == Store::refused) done(how == Store::normal);
  }
  bool healthy() override {
    return locked([&] { return healthy_; });
  }

  /// Of the last up().
  contract::Verdict verdict() {
    return locked([&] { return verdict_; });
  }
  bool wait_down(int times) {
    return wait([&] { return downs_ >= times; });
  }
  int downs() {
    return locked([&] { return downs_; });
  }
  bool wait_up(int times) {
    return wait([&] { return ups_ >= times; });
  }
  void set_bindings(std::vector<contract::Binding> all) {
    locked([&] { bindings_ = std::move(all); });
  }
  void answer_names(bool on) {
    locked([&] { answering_ = on; });
  }
  void set_healthy(bool on) {
    locked([&] { healthy_ = on; });
  }
  void store_counters(Store how) {
    locked([&] { store_ = how; });
  }
  [[nodiscard]] std::uint64_t total_unlocked() const { return total_; }
  [[nodiscard]] int offered_unlocked() const { return offered_; }

 private:
  int ups_ = 0;
  int downs_ = 0;
  contract::Verdict verdict_;
  std::vector<contract::Binding> bindings_;
  bool answering_ = true;
  bool healthy_ = true;
  Store store_ = Store::normal;
  contract::CounterCursor cursor_;
  std::uint64_t total_ = 0;
  int offered_ = 0;
};

class ContractTest : public ::testing::Test {
 protected:
  void TearDown() override {
    stop_client();
    stop_server();
  }
  [[nodiscard]] std::string path() const { return dir.path() + "/contract.sock"; }

  void start_server() {
    auto listener = listen_unix(path(), 0600);
    ASSERT_TRUE(listener);
    server.emplace(core, std::move(*listener),
                   control::Options{dir.path(), allowed, "sluice-dataplane test"},
                   recovery::load(dir.path()));
    server_thread = std::thread([this] { server->run(); });
  }
  void stop_server() {
    if (!server) return;
    server->stop();
    server_thread.join();
    server.reset();
  }
  void restart_server() {
    stop_server();
    start_server();
  }
  void start_client() {
    client.emplace(push::Options{path(), trusted, "sluice-controlplane test"}, events);
  }
  void stop_client() { client.reset(); }

  /// Calls and waits for the one answer.
  template <class Value, class Call>
  Value answer_of(Call call) {
    auto promise = std::make_shared<std::promise<Value>>();
    auto future = promise->get_future();
    call([promise](Value value) { promise->set_value(std::move(value)); });
    return future.get();
  }
  std::future<push::Applied> begin_apply(contract::Manifest manifest,
                                         std::vector<contract::BlobPtr> blobs) {
    auto promise = std::make_shared<std::promise<push::Applied>>();
    auto future = promise->get_future();
    client->apply(std::move(manifest), std::move(blobs),
                  [promise](push::Applied end) { promise->set_value(std::move(end)); });
    return future;
  }
  contract::Verdict apply(contract::Manifest manifest, std::vector<contract::BlobPtr> blobs) {
    return answer_of<contract::Verdict>(
        [&](auto done) { client->apply(std::move(manifest), std::move(blobs), done); });
  }
  bool bind(IpAddress address, std::string name) {
    contract::BindingBatch change;
    change.add = {{address, std::move(name), true, {}}};
    return answer_of<bool>([&](auto done) { client->bind(std::move(change), done); });
  }
  Status select(std::string group, std::string member) {
    return answer_of<Status>(
        [&](auto done) { client->select({{std::move(group), std::move(member)}}, done); });
  }
  Result<contract::HelloReply> ask_hello() {
    return answer_of<Result<contract::HelloReply>>([&](auto done) { client->hello(done); });
  }
  Result<std::vector<contract::FlowInfo>> list_flows() {
    return answer_of<Result<std::vector<contract::FlowInfo>>>(
        [&](auto done) { client->list_flows(done); });
  }
  Result<std::uint64_t> close_flows(std::vector<std::uint64_t> ids) {
    return answer_of<Result<std::uint64_t>>(
        [&](auto done) { client->close_flows(std::move(ids), done); });
  }
  Result<contract::RuleStates> read_rules() {
    return answer_of<Result<contract::RuleStates>>([&](auto done) { client->read_rules(done); });
  }
  Result<contract::Verdict> set_rules(contract::RuleSwitches switches) {
    return answer_of<Result<contract::Verdict>>(
        [&](auto done) { client->set_rules_disabled(std::move(switches), done); });
  }
  Result<contract::Explanation> explain(const char* name) {
    contract::ExplainQuery query;
    query.destination.name = name;
    query.destination.port = 443;
    return answer_of<Result<contract::Explanation>>(
        [&](auto done) { client->explain(query, done); });
  }

  TempDir dir;
  std::vector<uid_t> allowed{::geteuid()};
  std::vector<uid_t> trusted{::geteuid()};
  FakeCore core;
  FakeEvents events;
  std::optional<control::ControlServer> server;
  std::thread server_thread;
  std::optional<push::DataPlaneClient> client;
};

}  // namespace sluice::test
