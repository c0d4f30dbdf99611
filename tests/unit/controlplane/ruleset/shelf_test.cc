// Which content a source has, on real files, over restarts.
#include "controlplane/ruleset/shelf.h"

#include <unistd.h>

#include "controlplane/ruleformats/unpack.h"
#include "tests/unit/controlplane/ruleset/failing_calls.h"
#include "tests/unit/controlplane/ruleset/rig.h"

namespace sluice::sets {
namespace {

contract::Digest digest_of(const std::string& text) {
  return contract::digest_of(as_byte_view(text));
}

TEST(Shelf, TellsWhatCameOfNewBytes) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::http_list, scratch.path("ads.txt"));
  const Acceptance good = shelf.accept(source, as_byte_view("a.test\n..\n+.b.test\n"));
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(good.tally, (ruleformats::Tally{2, 1}));
  EXPECT_EQ(good.faults.size(), 1U);
  EXPECT_EQ(good.digest, digest_of("a.test\n..\n+.b.test\n"));
  const Acceptance bad = shelf.accept(source, as_byte_view("..\n"));
  EXPECT_TRUE(bad.error.starts_with("has no usable entry (line 1")) << bad.error;
}

// Between accept() and the new file the old one is in force; a store that fails changes nothing.
TEST(Shelf, AcceptedBytesCountOnceTheyAreTheFile) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "old.test\n"));
  ASSERT_EQ(shelf.accept(source, as_byte_view("old.test\n")).error, "");
  ASSERT_EQ(shelf.accept(source, as_byte_view("new.test\n")).error, "");
  EXPECT_EQ(shelf.look(source).digest, digest_of("old.test\n"));
  EXPECT_EQ(entries_of(shelf, source), Strings{"exact old.test"});
  scratch.put("ads.txt", "new.test\n");
  EXPECT_EQ(shelf.look(source).digest, digest_of("new.test\n"));
  EXPECT_EQ(entries_of(shelf, source), Strings{"exact new.test"});
}

TEST(Shelf, AFileThatNobodyJudgedIsJudgedWhenItIsLookedAt) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source good = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  EXPECT_TRUE(shelf.look(good).there());
  const Source bad = list(SourceKind::http_list, scratch.put("bad.txt", "..\n"));
  const Content content = shelf.look(bad);
  EXPECT_FALSE(content.there());
  EXPECT_TRUE(content.problem.starts_with(bad.path + " has no usable entry")) << content.problem;
  EXPECT_EQ(entries_of(shelf, bad), Strings{});
}

TEST(Shelf, WithoutAFileThereIsNothing) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::http_list, scratch.path("ads.txt"));
  EXPECT_EQ(shelf.look(source).problem, "there is no " + source.path);
  EXPECT_FALSE(shelf.load(source).there());
  Source small = list(SourceKind::http_list, scratch.put("large.txt", "a.test\nb.test\n"));
  small.most = 8;
  EXPECT_EQ(shelf.look(small).problem, small.path + " is larger than the limit of 8 bytes");
  const Source folder = list(SourceKind::http_list, scratch.path());
  EXPECT_EQ(shelf.look(folder).problem, folder.path + " is no regular file");
}

// A restart hashes nothing: what looks untouched is not even read.
TEST(Shelf, AnUntouchedFileIsNotReadAgain) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  {
    Shelf shelf = shelf_at(scratch);
    (void)shelf.look(source);
    shelf.save();
  }
  swap_content(source.path, "b.test\n");
  Shelf shelf = shelf_at(scratch);
  EXPECT_EQ(shelf.look(source).digest, digest_of("a.test\n"));
  // Who reads it sees what it is.
  EXPECT_EQ(shelf.load(source).digest, digest_of("b.test\n"));
}

// Changed within the clock step of the file system, right after it was looked at.
TEST(Shelf, HeldBytesAreTheContentUntilTheFileIs) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::http_list, scratch.path("ads.txt"));
  const std::string bytes = "+.ads.test\n";
  ASSERT_EQ(shelf.accept(source, as_byte_view(bytes)).error, "");
  shelf.hold(source, as_byte_view(bytes));
  EXPECT_EQ(shelf.look(source).digest, contract::digest_of(as_byte_view(bytes)));
  EXPECT_EQ(shelf.load(source).bytes, bytes);
  EXPECT_EQ(entries_of(shelf, source), Strings{"suffix ads.test"});
  Source other = source;
  other.path = scratch.path("other.txt");
  EXPECT_FALSE(shelf.load(other).there());
  shelf.let_go(source);
  EXPECT_FALSE(shelf.load(source).there());
  shelf.hold(source, as_byte_view(bytes));
  shelf.keep_only({});
  EXPECT_FALSE(shelf.look(source).there()) << "of a source that is gone";
}

TEST(Shelf, AYoungFileIsReadAgain) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  Shelf shelf(scratch.path("cache"), wall_ms);
  EXPECT_EQ(shelf.look(source).digest, digest_of("a.test\n"));
  swap_content(source.path, "b.test\n");
  EXPECT_EQ(shelf.look(source).digest, digest_of("b.test\n"));
}

// A router without a battery clock starts in the past.
TEST(Shelf, AFileFromTheFutureIsOldEnough) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  Shelf shelf(scratch.path("cache"), [] { return std::int64_t{0}; });
  (void)shelf.look(source);
  swap_content(source.path, "b.test\n");
  EXPECT_EQ(shelf.look(source).digest, digest_of("a.test\n"));
}

TEST(Shelf, AnotherReadingIsAnotherJudgement) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  EXPECT_TRUE(shelf.look(source).there());
  source.behavior = Behavior::ipcidr;
  EXPECT_FALSE(shelf.look(source).there());
  EXPECT_EQ(shelf.tally_of(source, digest_of("a.test\n")), std::nullopt);
  source.behavior = Behavior::domain;
  EXPECT_EQ(shelf.tally_of(source, digest_of("a.test\n")), (ruleformats::Tally{1, 0}));
}

TEST(Shelf, AUsersFileThatBreaksKeepsItsFormerContent) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::file_list, scratch.put("own.txt", "good.test\n"));
  {
    Shelf shelf = shelf_at(scratch);
    ASSERT_EQ(shelf.accept(source, as_byte_view("good.test\n")).error, "");
    scratch.put("own.txt", "a..b\n");
    EXPECT_NE(shelf.accept(source, as_byte_view("a..b\n")).error, "");
    EXPECT_EQ(entries_of(shelf, source), Strings{"exact good.test"});
  }
  Shelf after_restart = shelf_at(scratch);
  const Content content = after_restart.look(source);
  EXPECT_EQ(content.digest, digest_of("good.test\n"));
  EXPECT_EQ(content.problem, source.path +
                                 " has no usable entry (line 1: \"a..b\": has an empty label); its "
                                 "former content is used");
  EXPECT_EQ(entries_of(after_restart, source), Strings{"exact good.test"});
  // Gone is no better than broken.
  ASSERT_EQ(::unlink(source.path.c_str()), 0);
  EXPECT_EQ(entries_of(after_restart, source), Strings{"exact good.test"});
  scratch.put("own.txt", "newer.test\n");
  EXPECT_EQ(entries_of(after_restart, source), Strings{"exact newer.test"});
}

TEST(Shelf, OneCopyIsKeptForEachUsersFile) {
  const test::Scratch scratch;
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::file_list, scratch.path("own.txt"));
  for (const char* content : {"a.test\n", "b.test\n", "c.test\n"})
    ASSERT_EQ(shelf.accept(source, as_byte_view(content)).error, "");
  const test::Scratch other;
  Source second = list(SourceKind::file_list, other.path("x.txt"));
  second.name = "second";
  ASSERT_EQ(shelf.accept(second, as_byte_view("a.test\n")).error, "");
  ASSERT_EQ(shelf.accept(list(SourceKind::http_list, other.path("y.txt")), as_byte_view("h.test\n"))
                .error,
            "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("cache/kept")), {}), 2);
  scratch.put("cache/kept/stray", "?");
  shelf.keep_only(std::vector<Source>{source});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("cache/kept")), {}), 1);
  EXPECT_EQ(entries_of(shelf, source), Strings{"exact c.test"});
  EXPECT_EQ(entries_of(shelf, second), Strings{});
}

/// The only file in cache/kept.
std::string kept_file(const test::Scratch& scratch) {
  return std::filesystem::directory_iterator(scratch.path("cache/kept"))->path();
}

TEST(Shelf, ADamagedCopyIsNothing) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::file_list, scratch.path("own.txt"));
  const auto bomb = ruleformats::pack_zstd(std::vector<std::byte>(std::size_t{65} << 20U));
  ASSERT_TRUE(bomb);
  for (const std::string& damage : {std::string(), std::string("?"), std::string(as_text(*bomb))}) {
    Shelf shelf = shelf_at(scratch);
    ASSERT_EQ(shelf.accept(source, as_byte_view("a.test\n")).error, "");
    std::ofstream(kept_file(scratch), std::ios::binary) << damage;
    EXPECT_EQ(entries_of(shelf, source), Strings{});
    EXPECT_EQ(entries_of(shelf, source), Strings{});
    ASSERT_EQ(shelf.accept(source, as_byte_view("a.test\n")).error, "");
    EXPECT_EQ(entries_of(shelf, source), Strings{"exact a.test"});
  }
}

// Whatever the file of records says after a power cut: the content told is the file's.
TEST(Shelf, DamagedRecordsAreForgotten) {
  const test::Scratch scratch;
  const Source source = list(SourceKind::http_list, scratch.put("ads.txt", "a.test\n"));
  {
    Shelf shelf = shelf_at(scratch);
    (void)shelf.look(source);
    shelf.save();
  }
  const std::string good = scratch.get("cache/sets");
  ASSERT_FALSE(good.empty());
  swap_content(source.path, "b.test\n");
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    scratch.put("cache/sets", bad);
    Shelf shelf = shelf_at(scratch);
    EXPECT_EQ(shelf.look(source).digest, digest_of("b.test\n")) << at;
    scratch.put("cache/sets", good.substr(0, at));
    Shelf cut = shelf_at(scratch);
    EXPECT_EQ(cut.look(source).digest, digest_of("b.test\n")) << at;
  }
}

// The disk is full or broken at the n-th step: the bytes are accepted all the same, nothing half
// written counts after a restart, and what was kept before is not lost.
TEST(Shelf, AnyStepMayFail) {
  bool failed = true;
  int steps = 0;
  for (; failed; ++steps) {
    const test::Scratch scratch;
    const Source source = list(SourceKind::file_list, scratch.put("own.txt", "old.test\n"));
    {
      Shelf shelf = shelf_at(scratch);
      ASSERT_EQ(shelf.accept(source, as_byte_view("old.test\n")).error, "");
    }
    Shelf shelf = shelf_at(scratch);
    fail_after(steps);
    EXPECT_EQ(shelf.accept(source, as_byte_view("new.test\n")).error, "");
    failed = fail_never();
    EXPECT_EQ(shelf.take_complaint().has_value(), failed) << steps;
    ASSERT_EQ(::unlink(source.path.c_str()), 0);
    Shelf after_restart = shelf_at(scratch);
    const Strings kept = entries_of(after_restart, source);
    EXPECT_TRUE(kept == Strings{"exact new.test"} || (failed && kept == Strings{"exact old.test"}))
        << steps;
  }
  EXPECT_GT(steps, 4);
}

TEST(Shelf, WithoutADiskItWorksAndSaysSoOnce) {
  const test::Scratch scratch;
  scratch.put("cache", "no directory");
  Shelf shelf = shelf_at(scratch);
  const Source source = list(SourceKind::file_list, scratch.put("own.txt", "a.test\n"));
  EXPECT_EQ(shelf.accept(source, as_byte_view("a.test\n")).error, "");
  EXPECT_EQ(entries_of(shelf, source), Strings{"exact a.test"});
  const auto complaint = shelf.take_complaint();
  ASSERT_TRUE(complaint);
  EXPECT_TRUE(complaint->starts_with("cannot write " + scratch.path("cache/"))) << *complaint;
  EXPECT_EQ(shelf.accept(source, as_byte_view("b.test\n")).error, "");
  EXPECT_EQ(shelf.take_complaint(), std::nullopt);
}

}  // namespace
}  // namespace sluice::sets
