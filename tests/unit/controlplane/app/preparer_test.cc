#include "controlplane/app/preparer.h"

#include <gtest/gtest.h>

#include <memory>

#include "controlplane/model/read/report.h"
#include "proto/ruleset/match.h"
#include "tests/support/scratch.h"

namespace sluice::control_plane {
namespace {

constexpr char kLists[] =
    "mixed-port: 7890\n"
    "rule-providers:\n"
    "  own: {type: file, behavior: domain, format: text, path: own.txt}\n"
    "  few: {type: inline, behavior: ipcidr, payload: ['192.0.2.0/24']}\n"
    "rules:\n"
    "  - RULE-SET,own,REJECT\n"
    "  - RULE-SET,few,REJECT,no-resolve\n"
    "  - MATCH,DIRECT\n";

class PreparerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Preparer> fresh() const {
    return std::make_unique<Preparer>(
        FilePlaces{home.path("config.yaml"), {home.path(), {}, false}});
  }
  /// The line that a name meets; -1: none.
  static int line_of(const RunningPtr& running, std::string_view name) {
    const auto view = ruleset::View::open(running->blobs.at(0)->bytes);
    EXPECT_TRUE(view);
    ruleset::Key key;
    key.name = name;
    ruleset::Match match(*view, key, {});
    const auto step = match.next();
    if (step.outcome != ruleset::Match::Outcome::line) return -1;
    return static_cast<int>(view->slot(step.position).line);
  }
  static std::string first_problem(const Prepared& prepared) {
    return prepared.diagnostics.empty() ? "" : prepared.diagnostics[0].to_text();
  }

  test::Scratch home;
};

TEST_F(PreparerTest, ListsOfFilesAndOfTheConfigurationItselfDecide) {
  home.put("own.txt", "+.ads.test\n");
  const Prepared made = fresh()->prepare(kLists, "config.yaml");
  ASSERT_TRUE(made.running) << first_problem(made);
  EXPECT_EQ(line_of(made.running, "x.ads.test"), 0);
  EXPECT_EQ(line_of(made.running, "plain.test"), 2);
  ASSERT_EQ(made.running->sets.size(), 2U);
  EXPECT_NE(made.running->sets[0].content, contract::Digest{});
}

TEST_F(PreparerTest, ARestartFindsTheBlockThatWasCompiled) {
  home.put("own.txt", "+.ads.test\n");
  const Prepared first = fresh()->prepare(kLists, "config.yaml");
  const Prepared again = fresh()->prepare(kLists, "config.yaml");
  ASSERT_TRUE(first.running && again.running);
  EXPECT_EQ(again.running->manifest, first.running->manifest);
  EXPECT_EQ(home.names(), (std::vector<std::string>{"cache", "own.txt"}));
  std::size_t blocks = 0;
  for (const auto& file : std::filesystem::directory_iterator(home.path("cache/blocks")))
    blocks += file.is_regular_file() ? 1 : 0;
  EXPECT_EQ(blocks, 1U);
}

TEST_F(PreparerTest, NewContentIsANewBlockOfTheSameLines) {
  home.put("own.txt", "+.ads.test\n");
  const auto preparer = fresh();
  const Prepared first = preparer->prepare(kLists, "config.yaml");
  home.put("own.txt", "+.ads.test\n+.more.test\n");
  const Prepared second = preparer->prepare(kLists, "config.yaml");
  ASSERT_TRUE(first.running && second.running);
  EXPECT_NE(second.running->manifest.ruleset, first.running->manifest.ruleset);
  EXPECT_EQ(second.running->manifest.rules, first.running->manifest.rules);
  EXPECT_NE(second.running->sets[0].content, first.running->sets[0].content);
  EXPECT_EQ(line_of(second.running, "a.more.test"), 0);
}

TEST_F(PreparerTest, AFileThatIsNotThereIsAWarningAtItsProvider) {
  const Prepared made = fresh()->prepare(kLists, "config.yaml");
  ASSERT_TRUE(made.running);
  ASSERT_EQ(made.diagnostics.size(), 1U) << first_problem(made);
  EXPECT_EQ(made.diagnostics[0].severity, model::Severity::warning);
  EXPECT_EQ(made.diagnostics[0].line, 3U);
  EXPECT_EQ(line_of(made.running, "x.ads.test"), 2);
}

TEST_F(PreparerTest, ABrokenFileKeepsTheFormerSetAlsoAfterARestart) {
  constexpr char kYaml[] =
      "mixed-port: 7890\n"
      "rule-providers:\n"
      "  own: {type: file, behavior: domain, format: yaml, path: own.yaml}\n"
      "rules: ['RULE-SET,own,REJECT', 'MATCH,DIRECT']\n";
  home.put("own.yaml", "payload: ['+.ads.test']\n");
  ASSERT_TRUE(fresh()->prepare(kYaml, "config.yaml").running);
  home.put("own.yaml", "<html>not found</html>\n");
  const Prepared after = fresh()->prepare(kYaml, "config.yaml");
  ASSERT_TRUE(after.running) << first_problem(after);
  EXPECT_EQ(line_of(after.running, "x.ads.test"), 0);
  ASSERT_FALSE(after.diagnostics.empty());
  EXPECT_EQ(after.diagnostics[0].severity, model::Severity::warning);
}

// Patterns without a literal run for every name: 16 that need backtracking are the bound of a block
// (ruleset/bounds.h).
TEST_F(PreparerTest, EntriesBeyondTheBoundsOfABlockAreSaidAtEachStart) {
  std::string list;
  for (int i = 0; i < 300; ++i)
    list += "DOMAIN-REGEX,^(?!x)literal" + std::to_string(i) + "[.]test$\n";
  home.put("own.txt", list);
  constexpr char kClassical[] =
      "rule-providers:\n"
      "  own: {type: file, behavior: classical, format: text, path: own.txt}\n"
      "rules: ['RULE-SET,own,REJECT', 'MATCH,DIRECT']\n";
  for (int start = 0; start < 2; ++start) {
    const Prepared made = fresh()->prepare(kClassical, "config.yaml");
    ASSERT_TRUE(made.running) << first_problem(made);
    EXPECT_NE(first_problem(made).find("284 entries of rule sets pass the bounds"),
              std::string::npos)
        << first_problem(made);
    EXPECT_EQ(line_of(made.running, "plain.test"), 1);
  }
}

TEST_F(PreparerTest, AProviderOutsideTheHomeDirectoryIsAnError) {
  const Prepared made = fresh()->prepare(
      "rule-providers:\n  far: {type: file, behavior: domain, path: /etc/hosts}\n"
      "rules: ['RULE-SET,far,REJECT']\n",
      "config.yaml");
  EXPECT_FALSE(made.running);
  EXPECT_NE(first_problem(made).find("config.yaml:2:"), std::string::npos) << first_problem(made);
}

TEST_F(PreparerTest, AZoneThatNobodyKnowsIsOneErrorAtTheFirstRuleThatNamesIt) {
  const Prepared made = fresh()->prepare(
      "rules:\n"
      "  - TIME,daily 08:00-09:00 Europe/Berln,REJECT\n"
      "  - TIME,daily 08:00-09:00 UTC,REJECT\n"
      "  - AND,((TIME,daily 10:00-11:00 Europe/Berln),(DST-PORT,80)),REJECT\n",
      "config.yaml");
  EXPECT_FALSE(made.running);
  ASSERT_EQ(made.diagnostics.size(), 1U) << first_problem(made);
  const model::Diagnostic& told = made.diagnostics.front();
  EXPECT_EQ(told.severity, model::Severity::error);
  EXPECT_NE(told.problem.find("Europe/Berln"), std::string::npos) << told.problem;
  EXPECT_TRUE(told.problem.ends_with(" (and in 1 more place)")) << told.problem;
  EXPECT_NE(told.remedy.find("correct the name"), std::string::npos) << told.remedy;
  EXPECT_TRUE(first_problem(made).starts_with("config.yaml:2:5: rules[0]: "))
      << first_problem(made);
}

TEST_F(PreparerTest, ZonesThatNobodyKnowsAreCountedPastTheBound) {
  std::string text = "rules:\n";
  for (std::size_t i = 0; i < model::Report::kKept + 7; ++i)
    text += "  - TIME,daily 08:00-09:00 No/Town" + std::to_string(i) + ",REJECT\n";
  const Prepared made = fresh()->prepare(text, "config.yaml");
  EXPECT_FALSE(made.running);
  ASSERT_EQ(made.diagnostics.size(), model::Report::kKept + 2);
  EXPECT_EQ(made.diagnostics[model::Report::kKept].problem, "7 more errors are not shown");
  EXPECT_EQ(made.diagnostics.back().problem, "do not fit one compiled block");
}

TEST_F(PreparerTest, AZoneThatNobodyKnowsInARuleListIsAWarning) {
  home.put("own.txt", "TIME,daily 00:00-24:00 Nowhere/Land\n");
  for (int start = 0; start < 2; ++start) {
    const Prepared made = fresh()->prepare(
        "rule-providers:\n"
        "  own: {type: file, behavior: classical, format: text, path: own.txt}\n"
        "rules: ['RULE-SET,own,REJECT', 'MATCH,DIRECT']\n",
        "config.yaml");
    ASSERT_TRUE(made.running) << first_problem(made);
    ASSERT_EQ(made.diagnostics.size(), 1U) << "not said at start " << start;
    EXPECT_NE(first_problem(made).find("Nowhere/Land"), std::string::npos) << first_problem(made);
    EXPECT_EQ(line_of(made.running, "plain.test"), 0) << "UTC is used";
  }
}

TEST_F(PreparerTest, OneThatOnlyJudgesLeavesTheHomeDirectoryAsItIs) {
  home.put("own.txt", "+.ads.test\n");
  Preparer judge(FilePlaces{home.path("config.yaml"), {home.path(), {}, false}},
                 sets::CacheUse::read_only);
  EXPECT_TRUE(judge.prepare(kLists, "config.yaml").running);
  EXPECT_EQ(home.names(), std::vector<std::string>{"own.txt"});
}

TEST_F(PreparerTest, OneThatOnlyJudgesKnowsTheFormerContentOfABrokenFile) {
  home.put("own.txt", "+.ads.test\n");
  ASSERT_TRUE(fresh()->prepare(kLists, "config.yaml").running);
  home.put("own.txt", "<html>not found</html>\n");
  Preparer judge(FilePlaces{home.path("config.yaml"), {home.path(), {}, false}},
                 sets::CacheUse::read_only);
  const Prepared made = judge.prepare(kLists, "config.yaml");
  ASSERT_TRUE(made.running) << first_problem(made);
  EXPECT_EQ(line_of(made.running, "x.ads.test"), 0);
  EXPECT_NE(first_problem(made).find("former content"), std::string::npos) << first_problem(made);
}

TEST_F(PreparerTest, GeoFilesCountOnlyWhereARuleNamesThem) {
  const Prepared none = fresh()->prepare("rules: ['GEOIP,lan,DIRECT']\n", "config.yaml");
  ASSERT_TRUE(none.running);
  EXPECT_TRUE(none.running->sets.empty());
  const Prepared some =
      fresh()->prepare("rules: ['GEOSITE,cn,DIRECT', 'GEOIP,cn,DIRECT']\n", "config.yaml");
  ASSERT_TRUE(some.running) << first_problem(some);
  ASSERT_EQ(some.running->sets.size(), 2U);
  EXPECT_EQ(some.running->sets[0].source.content.kind, sets::SourceKind::geosite);
  EXPECT_EQ(some.running->sets[1].source.content.kind, sets::SourceKind::country_mmdb);
  EXPECT_EQ(some.diagnostics.size(), 2U) << first_problem(some);
}

}  // namespace
}  // namespace sluice::control_plane
