#include "proto/runtime/loop/pending_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "proto/runtime/loop/task.h"

namespace sluice {
namespace {

using Names = PendingTable<std::string>;

Task<void> ask(Names& names, Loop& loop, Millis patience, std::string& heard) {
  Names::Question question(names, "nobody");
  const Status answered = co_await question.wait(loop.now() + patience);
  heard = answered ? question.value : "too late";
}

void answer(Names::Question* question, const char* text) {
  ASSERT_NE(question, nullptr);
  question->value = text;
  question->finish();
}

class PendingTableTest : public ::testing::Test {
 protected:
  void turn_until_heard(const std::string& heard) {
    for (int i = 0; i < 400 && heard.empty(); ++i) loop->run_once(5_ms);
  }
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
  Names names{*loop};
};

TEST_F(PendingTableTest, AnswersReachWhoAskedInWhateverOrder) {
  std::string first;
  std::string second;
  loop->spawn(ask(names, *loop, 10_s, first));
  loop->spawn(ask(names, *loop, 10_s, second));
  answer(names.find(2), "two");
  answer(names.find(1), "one");
  turn_until_heard(second);
  EXPECT_EQ(first, "one");
  EXPECT_EQ(second, "two");
  EXPECT_EQ(names.find(1), nullptr) << "both are off the table";
  EXPECT_EQ(names.find(2), nullptr);
}

TEST_F(PendingTableTest, WhoGaveUpIsNotFoundAndTheNumberStaysTaken) {
  std::string first;
  std::string second;
  loop->spawn(ask(names, *loop, 0_ms, first));
  turn_until_heard(first);
  EXPECT_EQ(first, "too late");
  loop->spawn(ask(names, *loop, 10_s, second));
  EXPECT_EQ(names.find(1), nullptr);
  answer(names.find(2), "two");
  turn_until_heard(second);
  EXPECT_EQ(second, "two");
}

TEST_F(PendingTableTest, AnAnswerBeforeTheWaitIsKept) {
  Names::Question question(names);
  answer(names.find(question.id()), "early");
  EXPECT_TRUE(question.wait(Moment::never()).await_ready());
  EXPECT_EQ(question.value, "early");
}

}  // namespace
}  // namespace sluice
