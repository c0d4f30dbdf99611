#include "dataplane/transport/end.h"

#include "dataplane/transport/limits.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/transport/layers.h"

namespace sluice {
namespace {

using EndTest = test::EndFixture;

/// Writes `text` after a while, so that the other side has to wait.
Task<void> say_later(Loop& loop, int fd, std::string text) {
  co_await sleep_until(loop, loop.now() + 5_ms);
  EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

TEST_F(EndTest, FillToWaitsForAllBytesAndJoinsThem) {
  auto [end, peer] = make_pair();
  say(peer, "ab");
  loop->spawn(say_later(*loop, peer.get(), "cdef"));
  SliceQueue in;
  const auto bytes = run(transport::fill_to(*end, in, 5, soon()));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(as_text(*bytes), "abcde");
  EXPECT_EQ(test::text_of(in), "abcdef");
}

TEST_F(EndTest, FillEndsAtItsDeadlineAndAtTheEndOfTheStream) {
  auto [end, peer] = make_pair();
  SliceQueue in;
  turn();
  EXPECT_EQ(run(transport::fill(*end, in, loop->now() + 5_ms)).error().code, Errc::timeout);
  ::shutdown(peer.get(), SHUT_WR);
  EXPECT_EQ(run(transport::fill(*end, in, soon())).error().code, Errc::closed);
}

TEST_F(EndTest, FillIsNotHeldByAPeerThatOnlyPings) {
  auto [end, peer] = make_pair(1 << 20);
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, std::string(1000, 'P'));
  loop->spawn(say_later(*loop, peer.get(), "D\x02ok"));
  SliceQueue in;
  EXPECT_TRUE(run(transport::fill(*end, in, soon())));
  EXPECT_EQ(test::text_of(in), "ok");
}

Task<void> hear_slowly(Loop& loop, int fd, std::string& out, std::size_t size) {
  const auto chunk = std::make_unique<std::array<char, 8192>>();
  while (out.size() < size) {
    const ssize_t got = ::recv(fd, chunk->data(), chunk->size(), MSG_DONTWAIT);
    if (got > 0) out.append(chunk->data(), static_cast<std::size_t>(got));
    co_await sleep_until(loop, loop.now() + 1_ms);
  }
}

TEST_F(EndTest, SendWaitsUntilTheSocketTookEverything) {
  auto [end, peer] = make_pair(4096);
  const std::string text = test::pattern(100000);
  std::string got;
  loop->spawn(hear_slowly(*loop, peer.get(), got, text.size()));
  EXPECT_TRUE(run(transport::send(*end, as_byte_view(text), soon())));
  EXPECT_EQ(end->queued(), 0U);
  for (int i = 0; i < 1000 && got.size() < text.size(); ++i) loop->run_once(5_ms);
  EXPECT_EQ(got, text);
}

TEST_F(EndTest, SendEndsAtItsDeadlineWhenNobodyReads) {
  auto [end, peer] = make_pair(4096);
  const std::string text = test::pattern(300000);
  EXPECT_EQ(run(transport::send(*end, as_byte_view(text), loop->now() + 20_ms)).error().code,
            Errc::timeout);
}

TEST_F(EndTest, FillWaitsForSlicesAndLosesNothing) {
  auto [end, peer] = make_pair();
  say(peer, "hello");
  keep_slices(0);
  SliceQueue in;
  EXPECT_EQ(run(transport::fill(*end, in, loop->now() + 50_ms)).error().code, Errc::no_room);
  loop->spawn(give_slices_later());
  EXPECT_TRUE(run(transport::fill(*end, in, soon())));
  EXPECT_EQ(test::text_of(in), "hello");
}

TEST_F(EndTest, FillToWaitsForTheSliceThatJoins) {
  auto [end, peer] = make_pair();
  Result<Slice> first = Slice::make(pool, kBlockRoom - 3);
  ASSERT_TRUE(first);
  first->append(as_byte_view("abc"));
  SliceQueue in;
  in.push_back(std::move(*first));
  in.append(queue_of("def"));
  keep_slices(0);
  loop->spawn(give_slices_later());
  const auto bytes = run(transport::fill_to(*end, in, 6, soon()));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(as_text(*bytes), "abcdef");
}

TEST_F(EndTest, SendWaitsForSlicesUntilItsDeadline) {
  auto [end, peer] = make_pair();
  const std::string text = test::pattern(3 * kBlockBytes);
  keep_slices(1);
  EXPECT_EQ(run(transport::send(*end, as_byte_view(text), loop->now() + 50_ms)).error().code,
            Errc::no_room);
  EXPECT_EQ(pool.used_count(), 0U) << "holds nothing while it waits";
  loop->spawn(give_slices_later());
  EXPECT_TRUE(run(transport::send(*end, as_byte_view(text), soon())));
  EXPECT_EQ(hear(peer), text);
}

TEST_F(EndTest, SendWaitsForTheSlicesOfALayer) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  SliceQueue bytes = queue_of("abc");  // sealing needs a slice of its own
  keep_slices(0);
  loop->spawn(give_slices_later());
  EXPECT_TRUE(run(transport::send(*end, std::move(bytes), soon())));
  EXPECT_EQ(hear(peer),
            "D\x03"
            "abc");
}

}  // namespace
}  // namespace sluice
