#include "controlplane/app/disabled_rules.h"

#include <gtest/gtest.h>

namespace sluice::control_plane {
namespace {

using contract::RuleSwitch;

contract::Manifest manifest(std::vector<contract::RuleLine> lines) {
  contract::Manifest out;
  out.outbounds.resize(2);
  out.outbounds[0].name = "DIRECT";
  out.outbounds[1].name = "Out";
  out.rules = std::move(lines);
  return out;
}

contract::RuleLine line(std::string type, std::string payload, std::uint32_t outbound,
                        std::string list = {}) {
  return {std::move(type), std::move(payload), outbound, 0, std::move(list)};
}

std::vector<std::uint32_t> off_in(const DisabledRules& rules, const contract::Manifest& in) {
  std::vector<std::uint32_t> out;
  for (const RuleSwitch& one : rules.switches(in)) {
    EXPECT_TRUE(one.disabled);
    out.push_back(one.index);
  }
  return out;
}

TEST(DisabledRules, LinesAreFoundAgainWhereverTheyStand) {
  DisabledRules rules;
  const auto before = manifest({line("Domain", "a.test", 1), line("Domain", "b.test", 1),
                                line("Match", "", 0), line("Domain", "a.test", 1, "ads")});
  EXPECT_TRUE(rules.switches(before).empty());
  const RuleSwitch switches[] = {{1, true}, {3, true}};
  rules.note(before, switches);
  EXPECT_EQ(off_in(rules, before), (std::vector<std::uint32_t>{1, 3}));
  const auto after =
      manifest({line("Domain", "new.test", 1), line("Domain", "b.test", 1),
                line("Domain", "a.test", 1, "ads"), line("Domain", "a.test", 1, "other")});
  EXPECT_EQ(off_in(rules, after), (std::vector<std::uint32_t>{1, 2}));
}

TEST(DisabledRules, EveryPartOfALineCounts) {
  DisabledRules rules;
  const RuleSwitch first[] = {{0, true}};
  rules.note(manifest({line("Domain", "a.test", 1)}), first);
  for (const auto& other : {line("DomainSuffix", "a.test", 1), line("Domain", "b.test", 1),
                            line("Domain", "a.test", 0), line("Domain", "a.test", 1, "ads")})
    EXPECT_TRUE(off_in(rules, manifest({other})).empty());
}

TEST(DisabledRules, OfEqualLinesTheSecondStaysTheSecond) {
  DisabledRules rules;
  const auto lines = manifest({line("Domain", "a.test", 1), line("Domain", "a.test", 1)});
  const RuleSwitch second[] = {{1, true}};
  rules.note(lines, second);
  EXPECT_EQ(off_in(rules, lines), std::vector<std::uint32_t>{1});
  const auto moved =
      manifest({line("Domain", "a.test", 1), line("Match", "", 0), line("Domain", "a.test", 1)});
  EXPECT_EQ(off_in(rules, moved), std::vector<std::uint32_t>{2});
}

TEST(DisabledRules, ALineThatGoesAndComesBackIsStillOff) {
  DisabledRules rules;
  const auto with = manifest({line("Domain", "a.test", 1)});
  const RuleSwitch off[] = {{0, true}};
  rules.note(with, off);
  EXPECT_TRUE(off_in(rules, manifest({})).empty());
  EXPECT_EQ(off_in(rules, with), std::vector<std::uint32_t>{0});
  const RuleSwitch on[] = {{0, false}};
  rules.note(with, on);
  EXPECT_TRUE(off_in(rules, with).empty());
}

}  // namespace
}  // namespace sluice::control_plane
