// The life of a provider: downloads answer when the test says, time is stepped, the disk is real.
#include "controlplane/provider/provider.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/controlplane/provider/bench.h"

namespace sluice::provider::test {
namespace {

namespace fs = std::filesystem;

/// Takes everything but what holds "bad".
class Rules final : public Consumer {
 public:
  Accepted accept(ByteView bytes) override {
    ++accepts;
    const std::string_view text = as_text(bytes);
    if (text.find("bad") != std::string_view::npos) return std::unexpected("line 1: is bad");
    aside_ = text;
    held.clear();
    return {};
  }
  void hold(ByteView bytes) override { held = as_text(bytes); }
  void adopt() override {
    in_force = aside_;
    ++adopts;
  }
  void settled() override { ++settles; }
  std::string in_force = "(none)";
  std::string held;
  int accepts = 0;
  int adopts = 0;
  int settles = 0;

 private:
  std::string aside_;
};

class Watcher final : public RefreshObserver {
 public:
  void progress(const FetchProgress& progress) override { told.push_back(progress.size); }
  void finished(const RefreshResult& outcome) override { result = outcome; }
  std::vector<std::uint64_t> told;
  std::optional<RefreshResult> result;
};

constexpr char kUrl[] = "http://a.example/list.txt?token=secret";
constexpr char kMirror[] = "http://user:secret@b.example/list.txt";

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    source.name = "ads";
    source.urls = {kUrl};
    source.path = scratch.path("x");
    source.interval = 3600_s;
  }
  void start() {
    rules = std::make_shared<Rules>();
    provider = std::make_unique<Provider>(
        Surroundings{*loop, work, fetcher, [this] { return random; }, [this] { return wall; }},
        source, rules);
    provider->start();
    settle(*loop);
  }
  /// As if the process ended and began again, with a network that is asked anew.
  void restart() {
    provider.reset();
    settle(*loop);
    start();
  }
  std::shared_ptr<Watcher> refresh() {
    auto watcher = std::make_shared<Watcher>();
    provider->refresh_now(watcher);
    settle(*loop);
    return watcher;
  }
  /// Until the next refresh by itself; -1 s: there is none.
  [[nodiscard]] Millis next_due() {
    const Moment next = loop->timers().next();
    return next == Moment::never() ? Millis{-1000} : next - loop->refresh_now();
  }
  /// next_due() in whole seconds, the milliseconds that the test itself took forgiven.
  [[nodiscard]] std::int64_t next_due_s() {
    const Millis due = next_due();
    return due < Millis{0} ? -1 : (due.count + 500) / 1000;
  }
  const ProviderStatus& status() const { return provider->status(); }

  Scratch scratch;
  std::unique_ptr<Loop> loop = make_loop();
  TestWork work{*loop};
  TestFetcher fetcher{*loop};
  Source source;
  std::uint32_t random = 0;
  std::int64_t wall = 1'800'000'000'000;
  std::shared_ptr<Rules> rules;
  std::unique_ptr<Provider> provider;
};

TEST_F(ProviderTest, FirstStartSettlesWithoutTheNetworkThenFetches) {
  start();
  EXPECT_EQ(rules->settles, 1);
  EXPECT_FALSE(status().in_force);
  ASSERT_EQ(fetcher.count(), 1U);
  EXPECT_TRUE(fetcher.request().validators.empty());
  EXPECT_EQ(fetcher.request().most, kMaxContent);
  fetcher.answer_bytes("one", {"\"1\"", ""});
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(scratch.get("x"), "one");
  EXPECT_TRUE(status().in_force);
  EXPECT_EQ(status().changed_ms, wall);
  EXPECT_EQ(next_due_s(), 3600);
}

TEST_F(ProviderTest, WithoutEtagSupportWhateverIsThereIsFetched) {
  source.conditional = false;
  start();
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  step(*loop, 3601_s);
  ASSERT_EQ(fetcher.count(), 2U);
  EXPECT_TRUE(fetcher.request().validators.empty());
}

TEST_F(ProviderTest, TheLocalCopyComesFirstAndKeepsItsTags) {
  start();
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  wall += 600'000;
  restart();
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(rules->settles, 1);
  EXPECT_EQ(fetcher.count(), 1U) << "young enough";
  EXPECT_EQ(next_due_s(), 3000);
  step(*loop, 3001_s);
  ASSERT_EQ(fetcher.count(), 2U);
  EXPECT_EQ(fetcher.request().validators, (Validators{"\"1\"", "Mon"}));
  wall += 3'000'000;
  fetcher.answer_not_modified();
  EXPECT_EQ(rules->accepts, 1) << "nothing to judge";
  EXPECT_EQ(status().changed_ms, 1'800'000'000'000);
  EXPECT_EQ(status().checked_ms, wall);
  restart();
  EXPECT_EQ(status().checked_ms, wall) << "kept";
  EXPECT_EQ(next_due_s(), 3600);
}

TEST_F(ProviderTest, AnOldCopyServesWhileANewerOneIsFetched) {
  start();
  fetcher.answer_bytes("one");
  wall += 3'600'000;
  restart();
  EXPECT_EQ(rules->in_force, "one");
  ASSERT_EQ(fetcher.count(), 2U);
  fetcher.answer_failure("was silent for 20 s");
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(status().fault,
            "http://a.example/list.txt was silent for 20 s; what was there before stays");
  EXPECT_EQ(next_due_s(), 10);
}

TEST_F(ProviderTest, AClockThatJumpedBackRefreshesAtOnce) {
  start();
  fetcher.answer_bytes("one");
  wall -= 86'400'000;
  restart();
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(fetcher.count(), 2U);
  fetcher.answer_bytes("two");
  EXPECT_EQ(next_due_s(), 3600) << "whatever the wall clock does meanwhile";
}

TEST_F(ProviderTest, ACopyPutThereByHandCountsFromItsModificationTime) {
  const std::string path = scratch.put("x", "by hand");
  const timespec then[2] = {{wall / 1000 - 600, 0}, {wall / 1000 - 600, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), then, 0), 0);
  start();
  EXPECT_EQ(rules->in_force, "by hand");
  EXPECT_EQ(status().changed_ms, wall - 600'000);
  EXPECT_EQ(next_due_s(), 3000);
}

TEST_F(ProviderTest, ACopyChangedByHandIsAskedForWithoutTags) {
  start();
  fetcher.answer_bytes("one", {"\"1\"", ""});
  provider.reset();
  scratch.put("x", "changed by hand");
  start();
  EXPECT_EQ(rules->in_force, "changed by hand");
  refresh();
  EXPECT_TRUE(fetcher.request().validators.empty());
}

// B136: what lies there is an HTML page; the message names the file, the fetch starts at once.
TEST_F(ProviderTest, B136ABrokenCopyIsMovedAsideAndFetchedAnew) {
  scratch.put("x", "bad <html>");
  start();
  EXPECT_EQ(rules->in_force, "(none)");
  EXPECT_EQ(rules->settles, 1);
  EXPECT_EQ(status().fault, scratch.path("x") + ": line 1: is bad; moved aside to " +
                                scratch.path("x") + ".broken and fetched anew");
  EXPECT_EQ(scratch.get("x.broken"), "bad <html>");
  ASSERT_EQ(fetcher.count(), 1U);
  fetcher.answer_bytes("good");
  EXPECT_EQ(rules->in_force, "good");
  EXPECT_EQ(status().fault, "");
}

// B019: an empty list is a list.
TEST_F(ProviderTest, B019EmptyContentIsTheConsumersToJudge) {
  scratch.put("x", "");
  start();
  EXPECT_EQ(rules->in_force, "");
  EXPECT_TRUE(status().in_force);
}

TEST_F(ProviderTest, ACopyLargerThanTheLimitIsBroken) {
  source.most = 3;
  scratch.put("x", "four");
  start();
  EXPECT_EQ(rules->accepts, 0);
  EXPECT_TRUE(scratch.has("x.broken"));
  EXPECT_EQ(fetcher.request().most, 3U);
}

TEST_F(ProviderTest, RefusedBytesLeaveTheFormerOnes) {
  start();
  fetcher.answer_bytes("one", {"\"1\"", ""});
  const auto watcher = refresh();
  fetcher.answer_bytes("bad", {"\"2\"", ""});
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(scratch.get("x"), "one");
  ASSERT_TRUE(watcher->result);
  EXPECT_EQ(watcher->result->outcome, Outcome::failed);
  EXPECT_EQ(watcher->result->reason,
            "http://a.example/list.txt sent what is not usable: line 1: is bad");
  refresh();
  EXPECT_EQ(fetcher.request().validators.etag, "\"1\"") << "of what is in force";
}

TEST_F(ProviderTest, BytesThatCannotBeStoredAreHeldAndSaidToBeForgotten) {
  fs::create_directory(scratch.path("x"));  // a directory in the way
  start();
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  EXPECT_EQ(rules->held, "one");
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_TRUE(status().in_force);
  EXPECT_TRUE(status().fault.starts_with(
      "is used from memory, and forgotten at the next stop: cannot write " + scratch.path("x")))
      << status().fault;
  EXPECT_EQ(next_due_s(), 3600);
}

TEST_F(ProviderTest, WhatIsHeldIsStoredOnceTheDiskTakesIt) {
  fs::create_directory(scratch.path("x"));
  start();
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  fs::remove(scratch.path("x"));
  const auto watcher = refresh();
  EXPECT_TRUE(fetcher.request().validators.empty()) << "the bytes are wanted again";
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  EXPECT_EQ(scratch.get("x"), "one");
  EXPECT_EQ(status().fault, "");
  EXPECT_EQ(watcher->result->reason, "");
}

TEST_F(ProviderTest, WhatIsHeldGivesWayToWhatTheCopyHasAllAlong) {
  start();
  fetcher.answer_bytes("one");
  fs::create_directory(scratch.path("aside"));
  fs::rename(scratch.path("x"), scratch.path("aside/x"));
  fs::create_directory(scratch.path("x"));  // a directory in the way
  refresh();
  fetcher.answer_bytes("two");
  EXPECT_EQ(rules->held, "two");
  EXPECT_EQ(rules->in_force, "two");
  fs::remove(scratch.path("x"));
  fs::rename(scratch.path("aside/x"), scratch.path("x"));
  refresh();
  fetcher.answer_bytes("bad");
  EXPECT_EQ(rules->held, "two") << "what is refused lets nothing go";
  const auto watcher = refresh();
  fetcher.answer_bytes("one");
  EXPECT_EQ(watcher->result->outcome, Outcome::updated);
  EXPECT_EQ(rules->held, "");
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(scratch.get("x"), "one");
  const auto again = refresh();
  fetcher.answer_bytes("one");
  EXPECT_EQ(again->result->outcome, Outcome::not_modified);
}

TEST_F(ProviderTest, WhoAsksIsNotPutOffByADateOfTheSameSecond) {
  start();
  fetcher.answer_bytes("one", {"\"1\"", "Mon"});
  refresh();
  EXPECT_EQ(fetcher.request().validators, (Validators{"\"1\"", ""}));
  fetcher.answer_not_modified();
  step(*loop, 3601_s);
  EXPECT_EQ(fetcher.request().validators, (Validators{"\"1\"", "Mon"})) << "nobody asked";
}

TEST_F(ProviderTest, MirrorsAreTriedInOrder) {
  source.urls = {kUrl, kMirror, "http://c.example/list.txt"};
  start();
  EXPECT_EQ(fetcher.request().url, kUrl);
  fetcher.answer_failure("answered with status 404");
  EXPECT_EQ(fetcher.request().url, kMirror);
  fetcher.answer_bytes("bad: the page of a hotel");
  EXPECT_EQ(fetcher.request().url, "http://c.example/list.txt");
  fetcher.answer_bytes("good", {"\"c\"", ""});
  EXPECT_EQ(rules->in_force, "good");
  const auto watcher = refresh();
  EXPECT_TRUE(fetcher.request().validators.empty()) << "the first mirror does not know them";
  fetcher.answer_failure("answered with status 404");
  fetcher.answer_failure("is larger than the size limit of 9 bytes");
  EXPECT_EQ(fetcher.request().validators.etag, "\"c\"");
  fetcher.answer_failure("was silent for 20 s");
  ASSERT_TRUE(watcher->result);
  EXPECT_EQ(watcher->result->reason,
            "http://a.example/list.txt answered with status 404; http://b.example/list.txt is "
            "larger than "
            "the size limit of 9 bytes; http://c.example/list.txt was silent for 20 s");
}

TEST_F(ProviderTest, RetriesAfterTenSecondsThenTwice) {
  start();
  for (const std::int64_t wait : {10, 20, 40, 80, 160, 320, 600, 600}) {
    fetcher.answer_failure("was silent for 20 s");
    EXPECT_EQ(next_due_s(), wait);
    const std::size_t before = fetcher.count();
    step(*loop, Millis{wait * 1000 - 1000});
    EXPECT_EQ(fetcher.count(), before);
    step(*loop, Millis{wait * 1000 + 1});
    EXPECT_EQ(fetcher.count(), before + 1);
  }
  fetcher.answer_bytes("one");
  refresh();
  random = 2500;
  fetcher.answer_failure("was silent for 20 s");
  EXPECT_EQ((next_due().count + 100) / 500, 25) << "12.5 s: from the beginning, with jitter";
}

TEST_F(ProviderTest, AServersWishForALaterRetryIsHeard) {
  start();
  fetcher.answer_failure("answered with status 503", 120_s);
  EXPECT_EQ(next_due_s(), 120);
  step(*loop, 121_s);
  fetcher.answer_failure("answered with status 503");
  EXPECT_EQ(next_due_s(), 20) << "only as long as it is said";
}

TEST_F(ProviderTest, WithoutAnIntervalOnlyWhatIsMissingIsFetched) {
  source.interval = {};
  start();
  fetcher.answer_failure("was silent for 20 s");
  EXPECT_EQ(next_due_s(), 10) << "there is nothing yet";
  step(*loop, 11_s);
  fetcher.answer_bytes("one");
  EXPECT_EQ(next_due_s(), -1);
  restart();
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(next_due_s(), -1);
  refresh();
  fetcher.answer_failure("was silent for 20 s");
  EXPECT_EQ(next_due_s(), -1) << "whoever asked was told";
}

TEST_F(ProviderTest, AnIntervalIsAtLeastTenSeconds) {
  source.interval = Millis{1};
  start();
  fetcher.answer_bytes("one");
  EXPECT_EQ(next_due_s(), 10);
}

TEST_F(ProviderTest, SeveralCallersShareOneRefresh) {
  start();
  const auto first = refresh();
  const auto second = refresh();
  ASSERT_EQ(fetcher.count(), 1U) << "one was running";
  provider->refresh_now();  // nobody listens
  auto gone = refresh();
  gone.reset();
  fetcher.progress({1, 10});
  fetcher.progress({2, 10});  // too soon after
  EXPECT_EQ(status().progress.size, 2U);
  EXPECT_EQ(first->told, std::vector<std::uint64_t>{1});
  EXPECT_EQ(second->told, std::vector<std::uint64_t>{1});
  fetcher.answer_bytes("one");
  ASSERT_TRUE(first->result && second->result);
  EXPECT_EQ(first->result->outcome, Outcome::updated);
  EXPECT_EQ(fetcher.count(), 1U);
  const auto third = refresh();
  ASSERT_EQ(fetcher.count(), 2U);
  fetcher.answer_bytes("one");
  ASSERT_TRUE(third->result);
  EXPECT_EQ(third->result->outcome, Outcome::not_modified) << "the same bytes, without any tag";
  EXPECT_EQ(rules->accepts, 1);
}

TEST_F(ProviderTest, RefreshNowEndsAWait) {
  start();
  fetcher.answer_failure("was silent for 20 s");
  const auto watcher = refresh();
  ASSERT_EQ(fetcher.count(), 2U);
  fetcher.answer_bytes("one");
  EXPECT_EQ(watcher->result->outcome, Outcome::updated);
}

TEST_F(ProviderTest, RefreshNowBeforeTheLocalCopyIsReadComesAfterIt) {
  scratch.put("x", "copy");
  work.held = true;
  start();
  EXPECT_EQ(rules->settles, 0);
  const auto watcher = refresh();
  EXPECT_EQ(fetcher.count(), 0U);
  work.held = false;
  work.do_one();
  settle(*loop);
  EXPECT_EQ(rules->in_force, "copy");
  ASSERT_EQ(fetcher.count(), 1U);
  fetcher.answer_not_modified();
  EXPECT_TRUE(watcher->result);
}

TEST_F(ProviderTest, ItsEndEndsTheTransfer) {
  start();
  ASSERT_TRUE(fetcher.running());
  provider.reset();
  EXPECT_FALSE(fetcher.running());
}

TEST_F(ProviderTest, ItsEndLeavesAJobAloneAndDropsItsOutcome) {
  start();
  work.held = true;
  fetcher.answer_bytes("one");
  ASSERT_EQ(work.waiting(), 1U);
  provider.reset();
  work.do_one();
  settle(*loop);
  EXPECT_EQ(rules->accepts, 1);
  EXPECT_EQ(rules->adopts, 0);
  EXPECT_EQ(scratch.get("x"), "one") << "whole: the next start finds it";
}

TEST_F(ProviderTest, AFileIsWatched) {
  source.kind = Kind::file;
  start();
  EXPECT_EQ(rules->settles, 1);
  EXPECT_EQ(status().fault, "cannot read " + scratch.path("x") +
                                ": not found: No such file or "
                                "directory");
  const auto change = [&](const char* text) {
    scratch.put("x", text);
    settle(*loop);
    step(*loop, kSettle);
  };
  change("one");
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(status().fault, "");
  change("bad");
  EXPECT_EQ(rules->in_force, "one");
  EXPECT_EQ(status().fault, scratch.path("x") + ": line 1: is bad; what was there before stays");
  EXPECT_EQ(scratch.get("x"), "bad") << "the user's file is left alone";
  change("two");
  EXPECT_EQ(rules->in_force, "two");
  fs::remove(scratch.path("x"));
  settle(*loop);
  step(*loop, kSettle);
  EXPECT_EQ(rules->in_force, "two");
  EXPECT_NE(status().fault.find("; what was there before stays"), std::string::npos);
  change("three");
  EXPECT_EQ(rules->in_force, "three");
  EXPECT_EQ(rules->settles, 1);
  const auto watcher = refresh();
  ASSERT_TRUE(watcher->result);
  EXPECT_EQ(watcher->result->outcome, Outcome::updated);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x"}) << "nothing is put beside it";
  EXPECT_EQ(fetcher.count(), 0U);
}

TEST_F(ProviderTest, AChangeWhileTheFileIsReadIsNotMissed) {
  source.kind = Kind::file;
  scratch.put("x", "one");
  start();
  work.held = true;
  scratch.put("x", "two");
  settle(*loop);
  step(*loop, kSettle);
  ASSERT_EQ(work.waiting(), 1U);
  scratch.put("x", "three");
  settle(*loop);
  step(*loop, kSettle);
  work.do_one();
  settle(*loop);
  ASSERT_EQ(work.waiting(), 1U) << "read again";
  work.do_one();
  settle(*loop);
  EXPECT_EQ(rules->in_force, "three");
}

TEST_F(ProviderTest, InlineContentIsThereAndStays) {
  source.kind = Kind::inline_;
  source.path.clear();
  source.content = "payload";
  start();
  EXPECT_EQ(rules->in_force, "payload");
  EXPECT_EQ(rules->settles, 1);
  const auto watcher = refresh();
  ASSERT_TRUE(watcher->result);
  EXPECT_EQ(watcher->result->outcome, Outcome::not_modified);
  EXPECT_EQ(rules->accepts, 1);
  EXPECT_EQ(next_due_s(), -1);
}

TEST_F(ProviderTest, InlineContentThatIsNotUsableSaysSo) {
  source.kind = Kind::inline_;
  source.content = "bad";
  start();
  EXPECT_FALSE(status().in_force);
  EXPECT_EQ(status().fault, "payload: line 1: is bad");
  EXPECT_EQ(refresh()->result->outcome, Outcome::failed);
}

}  // namespace
}  // namespace sluice::provider::test
