// Everything together: a server, the downloader, a real disk, and work on a thread of its own.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "controlplane/provider/downloader.h"
#include "controlplane/provider/provider.h"
#include "tests/unit/controlplane/provider/bench.h"
#include "tests/unit/controlplane/provider/http_server.h"

namespace sluice::provider::test {
namespace {

class WorkOnThread final : public Work {
 public:
  explicit WorkOnThread(Loop& home) : home_(home), thread_([this] { serve(); }) {}
  ~WorkOnThread() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  void run(std::function<void()> job, std::function<void()> then) override {
    const std::lock_guard lock(mutex_);
    jobs_.emplace_back(std::move(job), std::move(then));
    wake_.notify_one();
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      auto [job, then] = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      home_.post(make_job(std::move(then)));
      lock.lock();
    }
  }

  Loop& home_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<std::function<void()>, std::function<void()>>> jobs_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the members above
};

class NoNames final : public NameLookup {
 public:
  Task<Result<std::vector<IpAddress>>> lookup(std::string, Until) override {
    co_return fail(Errc::no_address);
  }
};

class Lines final : public Consumer {
 public:
  Accepted accept(ByteView bytes) override {
    aside_ = static_cast<std::size_t>(std::ranges::count(as_text(bytes), '\n'));
    return {};
  }
  void hold(ByteView) override {}
  void adopt() override { count = aside_; }
  void settled() override { settled_ = true; }
  [[nodiscard]] bool is_settled() const { return settled_; }
  std::size_t count = 0;

 private:
  std::size_t aside_ = 0;
  bool settled_ = false;
};

TEST(Whole, TenListsComeFromAMirrorAndAreThereAtTheNextStart) {
  const Scratch scratch;
  const auto loop = make_loop();
  std::string list;
  for (int i = 0; i < 20'000; ++i) list += "+.name" + std::to_string(i) + ".example\n";
  HttpServer dead(*loop, [](const auto&) { return HttpAnswer{http(500, "<html>")}; });
  HttpServer good(*loop, [&](const auto& seen) {
    if (seen.field("If-None-Match") == "\"1\"") return HttpAnswer{http(304)};
    return HttpAnswer{http(200, list, "ETag: \"1\"\r\n")};
  });
  NoNames names;
  WorkOnThread work(*loop);
  Downloader downloader(*loop, work, names, {});
  const Surroundings at{*loop, work, downloader, [] { return 0U; }, [] { return wall_ms(); }};

  for (int life = 0; life < 2; ++life) {
    std::vector<std::shared_ptr<Lines>> lists;
    std::vector<std::unique_ptr<Provider>> providers;
    for (int i = 0; i < 10; ++i) {
      Source source;
      source.name = "list " + std::to_string(i);
      source.urls = {dead.url("/" + std::to_string(i)), good.url("/" + std::to_string(i))};
      source.path = scratch.path("rules/" + std::to_string(i));
      source.interval = 3600_s;
      lists.push_back(std::make_shared<Lines>());
      providers.push_back(std::make_unique<Provider>(at, source, lists.back()));
      providers.back()->start();
    }
    ASSERT_TRUE(pump(*loop, [&] {
      return std::ranges::all_of(lists, [](const auto& l) { return l->is_settled(); });
    }));
    for (const auto& one : lists) EXPECT_EQ(one->count, life == 0 ? 0U : 20'000U);
    for (const auto& provider : providers) provider->refresh_now();
    ASSERT_TRUE(pump(*loop, [&] {
      return std::ranges::all_of(providers,
                                 [](const auto& p) {
                                   return p->status().in_force && !p->status().refreshing &&
                                          p->status().fault.empty();
                                 }) &&
             good.requests.size() == 10U * static_cast<unsigned>(life + 1);
    }));
    for (const auto& one : lists) EXPECT_EQ(one->count, 20'000U);
  }
  EXPECT_EQ(dead.requests.size(), 20U);
}

TEST(Whole, AProviderMayEndAtAnyMoment) {
  const Scratch scratch;
  const auto loop = make_loop();
  HttpServer server(*loop,
                    [&](const auto&) { return HttpAnswer{http(200, std::string(200'000, '\n'))}; });
  NoNames names;
  WorkOnThread work(*loop);
  Downloader downloader(*loop, work, names, {});
  const Surroundings at{*loop, work, downloader, [] { return 0U; }, [] { return wall_ms(); }};
  Source source;
  source.name = "list";
  source.path = scratch.path("list");
  source.urls = {server.url()};
  for (int turns = 0;; ++turns) {
    std::filesystem::remove(source.path);
    const auto lines = std::make_shared<Lines>();
    auto provider = std::make_unique<Provider>(at, source, lines);
    provider->start();
    for (int i = 0; i < turns; ++i) loop->run_once(2_ms);
    const bool done = provider->status().in_force;
    provider.reset();
    if (done) break;
    ASSERT_LT(turns, 500);
  }
}

}  // namespace
}  // namespace sluice::provider::test
