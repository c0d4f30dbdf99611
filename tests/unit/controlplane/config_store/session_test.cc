#include "controlplane/config_store/session.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "controlplane/config_store/atomic_file.h"
#include "controlplane/config_store/store_limits.h"
#include "scratch.h"

namespace sluice::config_store {
namespace {

/// The local one, or a failure that the test asks for.
class FakeReplacer final : public FileReplacer {
 public:
  Stored<void> probe(const std::string& path) override {
    return fail_with ? store_fail(*fail_with, path) : Stored<void>();
  }
  Stored<void> replace(const std::string& path, std::string_view content) override {
    if (fail_with) return store_fail(*fail_with, path, EACCES);
    ++replaced;
    return replace_file(path, content);
  }
  std::optional<StoreFault> fail_with;
  int replaced = 0;
};

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch_.put("c.yaml", "one");
    ASSERT_TRUE(session_.loaded("one", 1));
  }
  std::string on_disk() { return scratch_.get("c.yaml"); }
  void apply(const std::string& text, ApplyOptions options = {}) {
    ASSERT_TRUE(session_.prepare(options));
    ASSERT_TRUE(session_.applied(text, options, now_, ++wall_));
  }
  void rollback(std::uint32_t steps) {
    const Stored<Restore> target = session_.rollback_target(steps);
    ASSERT_TRUE(target) << describe(target.error());
    ASSERT_TRUE(session_.rolled_back(*target, ++wall_));
  }

  Scratch scratch_;
  FakeReplacer replacer_;
  Moment now_{1000};
  std::int64_t wall_ = 100;
  Session session_{scratch_.path("c.yaml"), History(scratch_.path("history")),
                   LastGood(scratch_.path("last-good.yaml")), replacer_};
};

TEST_F(SessionTest, ApplyReplacesTheFileAndKeepsTheFormerOne) {
  apply("two");
  EXPECT_EQ(on_disk(), "two");
  EXPECT_FALSE(session_.unsaved());
  const Stored<Restore> former = session_.rollback_target(1);
  ASSERT_TRUE(former);
  EXPECT_EQ(former->text, "one");
  EXPECT_GT(former->saved_wall_ms, 0);
}

TEST_F(SessionTest, RollbackTwiceIsBackWhereItStarted) {
  apply("two");
  rollback(1);
  EXPECT_EQ(on_disk(), "one");
  rollback(1);
  EXPECT_EQ(on_disk(), "two");
}

TEST_F(SessionTest, RollbackReachesTheFifthAndNoFurther) {
  for (const char* text : {"two", "three", "four", "five", "six", "seven"}) apply(text);
  EXPECT_EQ(session_.rollback_target(5)->text, "two");
  const Stored<Restore> sixth = session_.rollback_target(6);
  ASSERT_FALSE(sixth);
  EXPECT_EQ(sixth.error().fault, StoreFault::no_version);
  rollback(5);
  EXPECT_EQ(session_.running(), "two");
  EXPECT_EQ(on_disk(), "two");
}

TEST_F(SessionTest, OnceLeavesFileAndHistoryAloneAndRollbackUndoesIt) {
  apply("two", {.once = true});
  EXPECT_EQ(on_disk(), "one");
  EXPECT_TRUE(session_.unsaved());
  const Stored<Restore> target = session_.rollback_target(1);
  ASSERT_TRUE(target);
  EXPECT_EQ(*target, (Restore{"one", 0}));
  rollback(1);
  EXPECT_FALSE(session_.unsaved());
  EXPECT_EQ(replacer_.replaced, 0) << "the file already held it";
}

TEST_F(SessionTest, OnceNeedsNoWritableFile) {
  replacer_.fail_with = StoreFault::read_only;
  EXPECT_TRUE(session_.prepare({.once = true}));
  EXPECT_EQ(session_.prepare({}).error().fault, StoreFault::read_only);
  EXPECT_EQ(session_.prepare({.confirm = Millis{60'000}}).error().fault, StoreFault::read_only);
}

TEST_F(SessionTest, AnUnconfirmedTextIsNotInTheFileAndIsTakenBackInTime) {
  apply("two", {.confirm = Millis{60'000}});
  EXPECT_EQ(on_disk(), "one");
  EXPECT_EQ(session_.running(), "two");
  EXPECT_EQ(session_.deadline(), Moment{61'000});
  EXPECT_EQ(session_.overdue(Moment{60'999}), nullptr);
  const std::string* back = session_.overdue(Moment{61'000});
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(*back, "one");
  session_.taken_back();
  EXPECT_EQ(session_.running(), "one");
  EXPECT_FALSE(session_.deadline());
  EXPECT_EQ(session_.confirm(5).error().fault, StoreFault::not_pending);
}

TEST_F(SessionTest, ConfirmWritesTheFileAndStopsTheClock) {
  apply("two", {.confirm = Millis{60'000}});
  ASSERT_TRUE(session_.confirm(7));
  EXPECT_EQ(on_disk(), "two");
  EXPECT_EQ(session_.overdue(Moment{900'000}), nullptr);
  EXPECT_EQ(session_.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, AConfirmThatCannotWriteStaysPending) {
  apply("two", {.confirm = Millis{60'000}});
  replacer_.fail_with = StoreFault::write_failed;
  EXPECT_EQ(session_.confirm(7).error().fault, StoreFault::write_failed);
  EXPECT_TRUE(session_.deadline());
  ASSERT_NE(session_.overdue(Moment{61'000}), nullptr);
  EXPECT_EQ(*session_.overdue(Moment{61'000}), "one");
}

TEST_F(SessionTest, AnUnchangedTextWithConfirmStillWaits) {
  apply("one", {.confirm = Millis{60'000}});
  EXPECT_TRUE(session_.deadline());
  ASSERT_TRUE(session_.confirm(7));
  EXPECT_EQ(replacer_.replaced, 0);
}

TEST_F(SessionTest, ALaterApplyEndsTheWait) {
  apply("two", {.confirm = Millis{60'000}});
  apply("three");
  EXPECT_FALSE(session_.deadline());
  EXPECT_EQ(on_disk(), "three");
  EXPECT_EQ(session_.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, WhatWasEditedIntoTheFileMeanwhileIsKept) {
  scratch_.put("c.yaml", "edited by hand");
  apply("two");
  EXPECT_EQ(on_disk(), "two");
  EXPECT_EQ(session_.rollback_target(1)->text, "edited by hand");
  EXPECT_EQ(session_.rollback_target(2)->text, "one");
}

TEST_F(SessionTest, ApplyingTheEditedFileItselfNeedsNoWriteButKeepsTheFormerText) {
  scratch_.put("c.yaml", "two");
  apply("two");
  EXPECT_EQ(replacer_.replaced, 0);
  EXPECT_EQ(session_.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, ReloadKeepsWhatTheFileHeldBefore) {
  apply("try", {.confirm = Millis{60'000}});
  ASSERT_TRUE(session_.loaded("two", 50));
  EXPECT_EQ(session_.running(), "two");
  EXPECT_FALSE(session_.deadline());
  EXPECT_EQ(session_.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, AFailedWriteIsSaidAndLeavesTheTextRunningUnsaved) {
  replacer_.fail_with = StoreFault::write_failed;
  const Stored<void> result = session_.applied("two", {}, now_, 9);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, StoreFault::write_failed);
  EXPECT_EQ(on_disk(), "one");
  EXPECT_TRUE(session_.unsaved());
  EXPECT_EQ(session_.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, WhatTheFileDidNotTakeIsNotTheLastGoodOne) {
  replacer_.fail_with = StoreFault::write_failed;
  ASSERT_FALSE(session_.applied("two", {}, now_, 9));
  EXPECT_EQ(session_.last_good(), "one");
}

TEST_F(SessionTest, AHomeThatTakesNoLastGoodOneDoesNotKeepTheFileFromBeingSaved) {
  Session elsewhere{scratch_.path("c.yaml"), History(scratch_.path("history")),
                    LastGood(scratch_.path("none/last-good.yaml")), replacer_};
  ASSERT_TRUE(elsewhere.applied("two", {}, now_, 9));
  EXPECT_EQ(on_disk(), "two");
  EXPECT_FALSE(elsewhere.unsaved());
}

TEST_F(SessionTest, AVeryLongWaitIsCutToADay) {
  apply("two", {.confirm = Millis{INT64_MAX}});
  EXPECT_EQ(session_.deadline(), now_ + kMaxConfirm);
}

TEST_F(SessionTest, WhatIsSavedIsKeptAsTheLastGoodOneForOurUserAlone) {
  EXPECT_EQ(session_.last_good(), "one");
  apply("two");
  EXPECT_EQ(session_.last_good(), "two");
  struct stat info{};
  ASSERT_EQ(::stat(scratch_.path("last-good.yaml").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, mode_t{0600});
}

TEST_F(SessionTest, WhatMayBeTakenBackIsNotTheLastGoodOne) {
  apply("two", {.once = true});
  apply("three", {.confirm = Millis{60'000}});
  EXPECT_EQ(session_.last_good(), "one");
  ASSERT_TRUE(session_.confirm(7));
  EXPECT_EQ(session_.last_good(), "three");
}

TEST_F(SessionTest, TheLastGoodOneRunsUntilTheFileIsLoadedOrReplaced) {
  scratch_.put("c.yaml", "broken");
  Session again{scratch_.path("c.yaml"), History(scratch_.path("history")),
                LastGood(scratch_.path("last-good.yaml")), replacer_};
  again.fell_back(*again.last_good());
  EXPECT_EQ(again.running(), "one");
  EXPECT_TRUE(again.on_last_good());
  EXPECT_FALSE(again.unsaved());
  EXPECT_EQ(on_disk(), "broken");
  ASSERT_TRUE(again.loaded("repaired", 8));
  EXPECT_FALSE(again.on_last_good());
  EXPECT_EQ(again.rollback_target(1)->text, "one");
}

TEST_F(SessionTest, AnApplyOnTheLastGoodOneKeepsTheBrokenTextToo) {
  scratch_.put("c.yaml", "broken");
  session_.fell_back("one");
  apply("try", {.confirm = Millis{60'000}});
  EXPECT_FALSE(session_.on_last_good()) << "something else runs";
  session_.taken_back();
  EXPECT_TRUE(session_.on_last_good());
  apply("two");
  EXPECT_FALSE(session_.on_last_good());
  EXPECT_EQ(on_disk(), "two");
  EXPECT_EQ(session_.rollback_target(1)->text, "broken");
  EXPECT_EQ(session_.rollback_target(2)->text, "one");
}

}  // namespace
}  // namespace sluice::config_store
