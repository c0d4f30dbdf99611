#include "dataplane/flow/names.h"

#include <gtest/gtest.h>

#include "dataplane/flow/bindings.h"
#include "dataplane/flow/limits.h"

namespace sluice::flow {
namespace {

class Asked final : public NameSource {
 public:
  void ask(contract::NameQuery query, unsigned worker) noexcept override {
    last_worker = worker;
    queries.push_back(std::move(query));
  }
  std::vector<contract::NameQuery> queries;
  unsigned last_worker = 99;
};

struct Outcome {
  bool done = false;
  Result<std::vector<IpAddress>> addresses = fail(Errc::invalid);
};

class Names : public ::testing::Test {
 protected:
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
  Asked source;
  NameService names{*loop, source, 3};
  IpAddress one = IpAddress::v4(0x01010101);

  Task<void> resolve(std::string name, Outcome& out) {
    out.addresses =
        co_await names.resolve(std::move(name), contract::NamePurpose::direct, loop->now() + 1_s);
    out.done = true;
  }
  void answer(std::vector<IpAddress> addresses, std::uint32_t ttl, Errc error = Errc::none) {
    contract::NameAnswer a;
    a.id = source.queries.back().id;
    a.addresses = std::move(addresses);
    a.ttl_s = ttl;
    a.error = error;
    names.answer(a);
    loop->run_once(0_ms);
  }
};

TEST_F(Names, AsksOnceAndRemembersForItsTtl) {
  names.set_reachable(true);
  Outcome first;
  loop->spawn(resolve("a.test", first));
  ASSERT_EQ(source.queries.size(), 1U);
  EXPECT_EQ(source.last_worker, 3U);
  answer({one}, 60);
  ASSERT_TRUE(first.done);
  EXPECT_EQ(first.addresses->front(), one);
  Outcome second;
  loop->spawn(resolve("a.test", second));
  EXPECT_TRUE(second.done);
  EXPECT_EQ(source.queries.size(), 1U);
}

TEST_F(Names, ExpiredNameIsAskedAgainAndUsedStaleOnlyWhileNobodyAnswers) {
  names.set_reachable(true);
  Outcome first;
  loop->spawn(resolve("a.test", first));
  answer({one}, 0);
  Outcome again;
  loop->spawn(resolve("a.test", again));
  EXPECT_EQ(source.queries.size(), 2U);
  names.set_reachable(false);
  loop->run_once(0_ms);
  ASSERT_TRUE(again.done);
  EXPECT_TRUE(again.addresses) << "the old answer beats none";
  Outcome unknown;
  loop->spawn(resolve("b.test", unknown));
  ASSERT_TRUE(unknown.done) << "fails at once, not at its deadline";
  EXPECT_EQ(unknown.addresses.error().code, Errc::unreachable);
}

TEST_F(Names, NameThatDoesNotExistIsNotServedStale) {
  names.set_reachable(true);
  Outcome first;
  loop->spawn(resolve("a.test", first));
  answer({one}, 0);
  Outcome gone;
  loop->spawn(resolve("a.test", gone));
  answer({}, 0, Errc::no_address);
  ASSERT_TRUE(gone.done);
  EXPECT_EQ(gone.addresses.error().code, Errc::no_address);
}

TEST_F(Names, LastGoodOfABindingServesWhileNobodyAnswers) {
  names.remember_stale("a.test", {one});
  Outcome out;
  loop->spawn(resolve("a.test", out));
  ASSERT_TRUE(out.done);
  EXPECT_EQ(out.addresses->front(), one);
}

// A whole batch of bindings, as at start: what was answered since is worth more.
TEST_F(Names, StaleAddressesCostTheCacheOneAnswerAtMost) {
  names.set_reachable(true);
  for (std::size_t i = 0; i < kNamesPerWorker; ++i) {
    Outcome out;
    loop->spawn(resolve("n" + std::to_string(i) + ".test", out));
    answer({one}, 600);
    ASSERT_TRUE(out.done);
  }
  for (std::size_t i = 0; i < 2 * kNamesPerWorker; ++i)
    names.remember_stale("old" + std::to_string(i) + ".test", {one});
  const std::size_t asked = source.queries.size();
  for (std::size_t i = 1; i < kNamesPerWorker; ++i) {
    Outcome out;
    loop->spawn(resolve("n" + std::to_string(i) + ".test", out));
    ASSERT_TRUE(out.done) << i;
  }
  EXPECT_EQ(source.queries.size(), asked);
  names.set_reachable(false);
  Outcome last;
  loop->spawn(resolve("old" + std::to_string(2 * kNamesPerWorker - 1) + ".test", last));
  EXPECT_TRUE(last.done && last.addresses) << "the newest stale one has the place";
}

TEST_F(Names, TableIsBounded) {
  names.set_reachable(true);
  for (std::size_t i = 0; i < kNamesPerWorker + 10; ++i) {
    Outcome out;
    loop->spawn(resolve("n" + std::to_string(i) + ".test", out));
    answer({one}, 600);
    ASSERT_TRUE(out.done);
  }
  const std::size_t asked = source.queries.size();
  Outcome oldest;
  loop->spawn(resolve("n0.test", oldest));
  EXPECT_EQ(source.queries.size(), asked + 1);
  loop->end_roots();
}

TEST(Bindings, BatchesAddRemoveAndReplace) {
  const IpAddress fake = IpAddress::v4(0xc6120004);
  const IpAddress other = IpAddress::v4(0xc6120005);
  BindingTable table;
  auto batch = std::make_shared<contract::BindingBatch>();
  batch->add = {{fake, "a.test", true, {}}, {other, "b.test", true, {}}};
  table.apply(batch);
  ASSERT_NE(table.find(fake), nullptr);
  EXPECT_EQ(table.find(fake)->name, "a.test");
  auto next = std::make_shared<contract::BindingBatch>();
  next->remove = {fake};
  next->add = {{other, "c.test", true, {}}};
  table.apply(next);
  EXPECT_EQ(table.find(fake), nullptr);
  EXPECT_EQ(table.find(other)->name, "c.test");
  auto all = std::make_shared<contract::BindingBatch>();
  all->replace = true;
  table.apply(all);
  EXPECT_EQ(table.count(), 0U);
}

}  // namespace
}  // namespace sluice::flow
