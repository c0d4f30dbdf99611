#include "controlplane/app/choices.h"

#include <gtest/gtest.h>

#include "tests/unit/controlplane/config_store/scratch.h"

namespace sluice::control_plane {
namespace {

contract::Outbound outbound(std::string name, contract::OutboundKind kind) {
  contract::Outbound out;
  out.name = std::move(name);
  out.kind = kind;
  return out;
}

contract::Manifest manifest() {
  contract::Manifest out;
  out.outbounds = {outbound("DIRECT", contract::OutboundKind::direct),
                   outbound("REJECT", contract::OutboundKind::reject),
                   outbound("Out", contract::OutboundKind::select)};
  out.outbounds[2].type_name = "Selector";
  out.outbounds[2].members = {0, 1};
  return out;
}

TEST(Choices, OnlyMembersOfGroupsCanBeChosen) {
  EXPECT_TRUE(Choices::check(manifest(), "Out", "REJECT"));
  EXPECT_EQ(Choices::check(manifest(), "Nobody", "DIRECT").error().kind,
            manage::FaultKind::not_found);
  EXPECT_EQ(Choices::check(manifest(), "Out", "Out").error().kind, manage::FaultKind::not_found);
  EXPECT_EQ(Choices::check(manifest(), "DIRECT", "REJECT").error().kind,
            manage::FaultKind::refused);
}

TEST(Choices, AMistypedNameIsAnsweredWithTheNearestOne) {
  EXPECT_EQ(Choices::check(manifest(), "Outt", "DIRECT").error().text,
            "there is no group Outt; did you mean `Out`?");
  EXPECT_EQ(Choices::check(manifest(), "Out", "DIRCET").error().text,
            "the group Out has no member DIRCET; did you mean `DIRECT`?");
  EXPECT_EQ(Choices::check(manifest(), "Out", "elsewhere").error().text,
            "the group Out has no member elsewhere; `sluice status` lists them");
}

TEST(Choices, ReportShowsTheChoiceOrWhatTheFileSays) {
  const config_store::Scratch scratch;
  stats::Writer writer;
  stats::StateStore store(scratch.path("state.db"), writer);
  Choices choices(store);
  EXPECT_EQ(choices.report(manifest()).at(0).now, "DIRECT");
  choices.set("Out", "REJECT");
  EXPECT_EQ(choices.report(manifest()).at(0).now, "REJECT");
  EXPECT_EQ(choices.report(manifest()).at(0).all, (std::vector<std::string>{"DIRECT", "REJECT"}));
  choices.set("Out", "Gone");  // a member that a reload removed
  EXPECT_EQ(choices.report(manifest()).at(0).now, "DIRECT");
  writer.stop();
}

TEST(Choices, AreStoredUnlessTheConfigurationSaysNo) {
  const config_store::Scratch scratch;
  for (const bool stored : {true, false}) {
    stats::Writer writer;
    stats::StateStore store(scratch.path("state.db"), writer);
    Choices choices(store);
    choices.set_stored(stored);
    choices.set("Out", stored ? "REJECT" : "DIRECT");
    writer.stop();
  }
  stats::Writer writer;
  stats::StateStore store(scratch.path("state.db"), writer);
  Choices choices(store);
  choices.restore();
  ASSERT_EQ(choices.all().size(), 1U);
  EXPECT_EQ(choices.all()[0].member, "REJECT");
  writer.stop();
}

}  // namespace
}  // namespace sluice::control_plane
