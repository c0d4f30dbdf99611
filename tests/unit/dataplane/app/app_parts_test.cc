#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "dataplane/app/countdown.h"
#include "dataplane/app/descriptor_table.h"
#include "dataplane/app/ledger.h"
#include "dataplane/app/options.h"

namespace sluice::app {
namespace {

TEST(DescriptorTable, LendsDuplicatesAndForgetsByPrefix) {
  DescriptorTable table;
  table.put("listener/a/tcp/0", UniqueFd(::dup(2)));
  table.put("listener/a/tcp/1", UniqueFd(::dup(2)));
  table.put("listener/ab/tcp/0", UniqueFd(::dup(2)));
  EXPECT_TRUE(table.duplicate("listener/a/tcp/1"));
  table.remove("listener/a/");
  EXPECT_EQ(table.names(), std::vector<std::string>{"listener/ab/tcp/0"});
  EXPECT_EQ(table.duplicate("listener/a/tcp/1").error().code, Errc::not_found);
}

TEST(Countdown, CallsBackOnceWithTheLastAnswer) {
  int called = 0;
  Countdown countdown(3, [&called] { ++called; });
  countdown.tick();
  countdown.tick();
  EXPECT_EQ(called, 0);
  countdown.tick();
  EXPECT_EQ(called, 1);
}

// On a worker that freed the last snapshot this way, clients waited up to 9 ms.
TEST(Countdown, HoldsNothingOfTheCallbackOnceItWasCalled) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  int value = 0;
  Countdown countdown(1, [&value, held = std::move(held)] { value = *held; });
  EXPECT_FALSE(seen.expired());
  countdown.tick();
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(seen.expired());
}

TEST(Ledger, MergesByKeyAndFoldsHostsPastItsBoundWithoutLosingBytes) {
  Ledger ledger;
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < Ledger::kMaxKeys + 100; ++i) {
    contract::CounterDelta d;
    d.key.host = "h" + std::to_string(i);
    d.key.outbound = "DIRECT";
    d.upload = i;
    sent += i;
    ledger.add({d, d});
    sent += i;
  }
  std::uint64_t got = 0;
  std::size_t others = 0;
  const auto all = ledger.take();
  for (const auto& d : all) {
    got += d.upload;
    others += d.key.host == "other" ? 1 : 0;
  }
  EXPECT_EQ(got, sent);
  EXPECT_EQ(others, 1U);
  EXPECT_EQ(all.size(), Ledger::kMaxKeys + 1);
  EXPECT_TRUE(ledger.take().empty());
}

TEST(Options, SayWhatIsWrong) {
  const auto parse = [](std::vector<std::string> words) {
    words.insert(words.begin(), "sluice-dataplane");
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    return parse_options(static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_NE(parse({}).error().find("--run-dir"), std::string::npos);
  EXPECT_NE(parse({"--run-dir"}).error().find("value"), std::string::npos);
  EXPECT_NE(parse({"--run-dir", "/x", "--workers", "many"}).error().find("number"),
            std::string::npos);
  EXPECT_NE(parse({"--frob", "1"}).error().find("--frob"), std::string::npos);
  const auto good = parse({"--run-dir", "/x", "--control-uid", "42", "--supervisor-fd", "5"});
  ASSERT_TRUE(good);
  EXPECT_EQ(good->control_uid, 42U);
  EXPECT_EQ(good->supervisor_fd, 5);
}

}  // namespace
}  // namespace sluice::app
