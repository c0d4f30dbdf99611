#include "tests/unit/controlplane/app/flow_rig.h"

namespace sluice::control_plane {
namespace {

constexpr char kFirst[] =
    "mixed-port: 7890\n"
    "dns: {enable: true, listen: '127.0.0.1:1053', enhanced-mode: fake-ip}\n"
    "rules: ['MATCH,DIRECT']\n";
constexpr char kSecond[] =
    "mixed-port: 7891\n"
    "dns: {enable: true, listen: '127.0.0.1:1054', enhanced-mode: fake-ip, "
    "fake-ip-range: 10.0.0.0/8}\n"
    "rules: ['MATCH,REJECT']\n";
constexpr char kOnlyNamesDiffer[] =
    "mixed-port: 7890\n"
    "dns: {enable: true, listen: '127.0.0.1:1053', enhanced-mode: fake-ip, fake-ip-ttl: 7}\n"
    "rules: ['MATCH,DIRECT']\n";
constexpr char kBroken[] = "mixed-port: 7890\nrules: ['MATCH,Nobody']\n";

TEST_F(FlowRig, StartOpensNamesThenTellsTheDataPlane) {
  ports.ports = {{"br-lan", 4053, 4054}};
  EXPECT_FALSE(start(kFirst));
  ASSERT_EQ(ports.names.size(), 1U);
  ASSERT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(ports.pushed[0].capture.dns, ports.ports);
  ASSERT_EQ(ports.in_force.size(), 1U);
  EXPECT_EQ(flow->generation(), 1U);
  EXPECT_FALSE(flow->unsaved());
}

TEST_F(FlowRig, StartSaysWhatTheDataPlaneRefuses) {
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  const auto refusal = start(kFirst);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->sentence(), file + ":1:13: mixed-port: is in use");
  EXPECT_EQ(refusal->exit_code(), ExitCode::bad_config);
  EXPECT_TRUE(ports.in_force.empty());
  EXPECT_EQ(flow->running(), nullptr);
}

TEST_F(FlowRig, NamesThatCannotBeServedAreSaidBeforeTheDataPlaneIsAsked) {
  ports.problems = {
      {"", Endpoint{IpAddress::v4(0x7f000001), 1053}, dns::Transport::udp, Error{Errc::exists}}};
  const auto refusal = start(kFirst);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->place, "dns.listen");
  EXPECT_EQ(refusal->sentence().find(file + ":2:29: dns.listen: the UDP port of 127.0.0.1:1053"),
            0U)
      << refusal->sentence();
  EXPECT_TRUE(ports.pushed.empty());
}

TEST_F(FlowRig, LanDeviceThatIsAbsentDoesNotHoldUpTheRest) {
  ports.problems = {
      {"br-lan", Endpoint{IpAddress::v4(0), 0}, dns::Transport::udp, Error{Errc::not_found}}};
  EXPECT_FALSE(start(kFirst));
  EXPECT_TRUE(flow->devices_missing());
  ports.ports = {{"br-lan", 4053, 4054}};
  flow->refresh(false);
  settle();
  EXPECT_FALSE(flow->devices_missing());
  ASSERT_EQ(ports.pushed.size(), 2U);
  EXPECT_EQ(ports.pushed[1].capture.dns, ports.ports);
}

TEST_F(FlowRig, ReloadWithErrorsLeavesTheRunningOneAlone) {
  EXPECT_FALSE(start(kFirst));
  write(kBroken);
  flow->reload();
  settle();
  EXPECT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(ports.names.size(), 1U);
  EXPECT_EQ(ports.in_force.size(), 1U);
}

TEST_F(FlowRig, PoolsChangeOnlyAfterTheDataPlaneHasAgreed) {
  EXPECT_FALSE(start(kFirst));
  write(kSecond);
  flow->reload();
  settle();
  ASSERT_EQ(ports.names.size(), 3U);
  EXPECT_EQ(ports.names[1].dns.listen->port, 1054);
  EXPECT_EQ(ports.names[1].dns.fake_ip_range, ports.names[0].dns.fake_ip_range);
  EXPECT_EQ(ports.names[2].dns.fake_ip_range, Prefix::of(IpAddress::v4(0x0a000000), 8));
  EXPECT_EQ(flow->generation(), 2U);
}

TEST(RefusalOfAStart, OnlyAFailureOfTheTransportIsWorthARestart) {
  EXPECT_EQ((Refusal{"", "the connection broke"}).exit_code(), ExitCode::failure);
  EXPECT_EQ((Refusal{"capture", "no nft_tproxy"}).exit_code(), ExitCode::missing_feature);
  EXPECT_EQ((Refusal{"dns.listen", "in use"}).exit_code(), ExitCode::bad_config);
}

TEST_F(FlowRig, RefusedReloadPutsEverythingBack) {
  EXPECT_FALSE(start(kFirst));
  const RunningPtr before = flow->running();
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  write(kSecond);
  flow->reload();
  settle();
  EXPECT_EQ(ports.names.back(), ports.names.front());
  EXPECT_EQ(flow->running(), before);
  EXPECT_EQ(ports.in_force.size(), 1U);
}

TEST_F(FlowRig, WhatTheDataPlaneHasIsNotSentAgain) {
  EXPECT_FALSE(start(kFirst));
  write(kOnlyNamesDiffer);
  flow->reload();
  settle();
  EXPECT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(ports.names.back().dns.fake_ip_ttl_s, 7U);
  EXPECT_EQ(ports.in_force.size(), 2U);
}

TEST_F(FlowRig, ReloadWaitsForTheDataPlane) {
  EXPECT_FALSE(start(kFirst));
  ports.up = false;
  write(kSecond);
  flow->reload();
  settle();
  EXPECT_EQ(ports.pushed.size(), 1U);
  ports.up = true;
  flow->data_plane_is_back();
  settle();
  EXPECT_EQ(ports.pushed.size(), 2U);
  flow->data_plane_is_back();
  settle();
  EXPECT_EQ(ports.pushed.size(), 2U);
}

TEST_F(FlowRig, ApplyRunsItThenWritesTheFile) {
  EXPECT_FALSE(start(kFirst));
  const auto report = apply(kSecond);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->applied);
  EXPECT_EQ(report->generation, 2U);
  EXPECT_FALSE(report->changes.empty());
  EXPECT_EQ(read(), kSecond);
  EXPECT_FALSE(flow->unsaved());
}

TEST_F(FlowRig, ApplyWithErrorsAnswersThemAndChangesNothing) {
  EXPECT_FALSE(start(kFirst));
  const auto report = apply(kBroken);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->applied);
  EXPECT_TRUE(model::has_errors(report->diagnostics));
  EXPECT_EQ(read(), kFirst);
  EXPECT_EQ(ports.pushed.size(), 1U);
}

TEST_F(FlowRig, ApplyThatTheDataPlaneRefusesNamesTheUsersPlaceAndKeepsTheFile) {
  EXPECT_FALSE(start(kFirst));
  ports.refusal = Refusal{"listeners[0].port", "127.0.0.1:7891 is in use; stop it"};
  const auto report = apply(kSecond);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->applied);
  EXPECT_EQ(report->generation, 1U);
  ASSERT_EQ(report->diagnostics.size(), 1U);
  EXPECT_EQ(report->diagnostics[0].to_text(),
            "new.yaml:1:13: mixed-port: 127.0.0.1:7891 is in use; stop it");
  EXPECT_EQ(read(), kFirst);
}

TEST_F(FlowRig, ARefusalWithoutAPlaceIsNotTheTextsFault) {
  EXPECT_FALSE(start(kFirst));
  ports.refusal = Refusal{"", "the connection broke"};
  const auto report = apply(kSecond);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, manage::FaultKind::refused);
  EXPECT_EQ(report.error().text, "the connection broke; the running configuration is as it was");
}

TEST_F(FlowRig, RollbackThatTheDataPlaneRefusesIsAReportToo) {
  EXPECT_FALSE(start(kFirst));
  ASSERT_TRUE(apply(kSecond));
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  const auto back = rollback(1);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->apply.applied);
  EXPECT_EQ(back->apply.generation, 2U);
  ASSERT_TRUE(model::has_errors(back->apply.diagnostics));
  EXPECT_EQ(back->apply.diagnostics[0].to_text(), file + ":1:13: mixed-port: is in use");
  EXPECT_EQ(read(), kSecond);
}

TEST_F(FlowRig, ApplyIsRefusedWhileTheDataPlaneIsAway) {
  EXPECT_FALSE(start(kFirst));
  ports.up = false;
  const auto report = apply(kSecond);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, manage::FaultKind::unavailable);
  EXPECT_EQ(ports.pushed.size(), 1U);
}

TEST_F(FlowRig, OnceLeavesTheFileAndRollbackGoesBackToIt) {
  EXPECT_FALSE(start(kFirst));
  ASSERT_TRUE(apply(kSecond, true));
  EXPECT_EQ(read(), kFirst);
  EXPECT_TRUE(flow->unsaved());
  const auto back = rollback(1);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->apply.generation, 3U);
  EXPECT_FALSE(flow->unsaved());
  EXPECT_EQ(ports.pushed.back(), ports.pushed.front());
}

TEST_F(FlowRig, RollbackFurtherThanWhatIsKeptIsNotFound) {
  EXPECT_FALSE(start(kFirst));
  const auto back = rollback(3);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().kind, manage::FaultKind::not_found);
}

TEST_F(FlowRig, WhatNobodyConfirmsIsTakenBack) {
  EXPECT_FALSE(start(kFirst));
  ASSERT_TRUE(apply(kSecond, false, 1));
  EXPECT_EQ(read(), kFirst);
  EXPECT_EQ(flow->confirm_seconds_left(), 1U);
  // The span that users give is in whole seconds; the loop keeps real time.
  EXPECT_TRUE(turn_until([&] { return ports.in_force.size() == 3; }));
  EXPECT_EQ(ports.pushed.back(), ports.pushed.front());
  EXPECT_TRUE(turn_until([&] { return flow->confirm_seconds_left() == 0; }));
}

TEST_F(FlowRig, ConfirmedIsWrittenAndStays) {
  EXPECT_FALSE(start(kFirst));
  ASSERT_TRUE(apply(kSecond, false, 60));
  settle();  // confirms
  EXPECT_EQ(read(), kSecond);
  EXPECT_EQ(flow->confirm_seconds_left(), 0U);
}

TEST_F(FlowRig, RefreshesThatWaitAreOne) {
  EXPECT_FALSE(start(kFirst));
  for (const bool everything : {false, true, false}) flow->refresh(everything);
  settle();
  EXPECT_EQ(ports.pushed.size(), 2U);
}

TEST_F(FlowRig, WhileARefreshRunsOnlyAWiderOneIsQueued) {
  EXPECT_FALSE(start(kFirst));
  ports.hold = true;
  ports.ports = {{"br-lan", 4053, 4054}};
  flow->refresh(false);
  ASSERT_TRUE(turn_until([&] { return ports.held != nullptr; }));
  flow->refresh(false);
  for (int i = 0; i < 3; ++i) flow->refresh(true);
  ports.release();
  ASSERT_TRUE(turn_until([&] { return ports.held != nullptr; }));
  EXPECT_EQ(ports.pushed.size(), 3U);
  for (const bool everything : {false, true}) flow->refresh(everything);
  ports.release();
  settle();
  EXPECT_EQ(ports.pushed.size(), 3U);
  ports.hold = false;
  flow->refresh(true);
  settle();
  EXPECT_EQ(ports.pushed.size(), 4U);
}

TEST_F(FlowRig, WhatTheDataPlaneTookIsTheLastGoodOne) {
  EXPECT_FALSE(start(kFirst));
  EXPECT_EQ(last_good().text(), kFirst);
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  write(kSecond);
  flow->reload();
  settle();
  EXPECT_EQ(last_good().text(), kFirst);
  EXPECT_EQ(flow->file_fault(), "");
}

TEST_F(FlowRig, ARestartOverABrokenFileRunsTheLastGoodOneAndNamesTheFault) {
  ASSERT_TRUE(last_good().keep(kSecond));
  EXPECT_FALSE(start(kBroken, true));
  ASSERT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(ports.pushed[0].listeners[0].port, 7891);
  EXPECT_EQ(ports.started.size(), 1U);
  EXPECT_NE(flow->file_fault().find("config.yaml:2:"), std::string::npos) << flow->file_fault();
  EXPECT_FALSE(flow->unsaved());
  EXPECT_EQ(read(), kBroken);
  write(kFirst);
  flow->reload();
  settle();
  EXPECT_EQ(flow->file_fault(), "");
  EXPECT_EQ(ports.pushed.back().listeners[0].port, 7890);
  EXPECT_EQ(last_good().text(), kFirst);
}

TEST_F(FlowRig, AReloadOfAFileThatIsStillBrokenKeepsSayingSo) {
  ASSERT_TRUE(last_good().keep(kSecond));
  EXPECT_FALSE(start(kBroken, true));
  flow->reload();
  settle();
  EXPECT_NE(flow->file_fault(), "");
  EXPECT_EQ(ports.pushed.size(), 1U);
}

TEST_F(FlowRig, ARestartWithAFileThatTheDataPlaneRefusesRunsTheLastGoodOne) {
  ASSERT_TRUE(last_good().keep(kFirst));
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  ports.refused_once = true;
  EXPECT_FALSE(start(kSecond, true));
  EXPECT_EQ(flow->file_fault(), file + ":1:13: mixed-port: is in use");
  EXPECT_EQ(flow->generation(), 1U);
}

TEST_F(FlowRig, AnEditedFileThatAsksForACaptureThatCannotBeGivesWayToTheLastGoodOne) {
  ASSERT_TRUE(last_good().keep(kFirst));
  ports.refusal = Refusal{"capture", "no nft_tproxy"};
  ports.refused_once = true;
  EXPECT_FALSE(start(kSecond, true));
  EXPECT_EQ(ports.pushed.size(), 2U);
  EXPECT_NE(flow->file_fault().find("no nft_tproxy"), std::string::npos) << flow->file_fault();
  EXPECT_EQ(flow->running_file(), last_good().path());
}

TEST_F(FlowRig, WhatNeitherTextCanCaptureIsTriedAgainAtTheNextStart) {
  ASSERT_TRUE(last_good().keep(kFirst));
  ports.refusal = Refusal{"capture", "sluice-nft does not answer"};
  const auto refusal = start(kSecond, true);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->exit_code(), ExitCode::missing_feature);
  EXPECT_EQ(ports.pushed.size(), 2U);
  EXPECT_EQ(flow->file_fault(), "");
}

TEST_F(FlowRig, WhatCannotBeCapturedAtARestartIsNotTheFilesFault) {
  ASSERT_TRUE(last_good().keep(kSecond));
  ports.refusal = Refusal{"capture", "sluice-nft does not answer"};
  const auto refusal = start(kSecond, true);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->exit_code(), ExitCode::missing_feature);
  EXPECT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(flow->file_fault(), "");
}

TEST_F(FlowRig, AFileThatIsTheLastGoodOneHasNothingToFallBackTo) {
  ASSERT_TRUE(last_good().keep(kFirst));
  ports.refusal = Refusal{"listeners[0].port", "is in use"};
  const auto refusal = start(kFirst, true);
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->sentence().find("mixed-port: is in use"), std::string::npos);
  EXPECT_EQ(ports.pushed.size(), 1U);
  EXPECT_EQ(flow->file_fault(), "");
}

TEST_F(FlowRig, WhatIsTriedOnTheLastGoodOneHidesTheFaultOnlyWhileItRuns) {
  ASSERT_TRUE(last_good().keep(kSecond));
  EXPECT_FALSE(start(kBroken, true));
  const std::string good_file = last_good().path();
  EXPECT_EQ(flow->running_file(), good_file);
  const std::string fault = flow->file_fault();
  ASSERT_NE(fault, "");
  ASSERT_TRUE(apply(kFirst, false, 1));
  EXPECT_EQ(flow->file_fault(), "");
  EXPECT_EQ(flow->running_file(), "new.yaml");
  EXPECT_TRUE(turn_until([&] { return flow->confirm_seconds_left() == 0; }));
  EXPECT_TRUE(turn_until([&] { return !flow->file_fault().empty(); }));
  EXPECT_EQ(flow->file_fault(), fault);
  EXPECT_EQ(flow->running_file(), good_file);
  EXPECT_EQ(flow->running()->legend.file, good_file);
  ASSERT_TRUE(apply(kFirst));
  EXPECT_EQ(flow->file_fault(), "");
  EXPECT_EQ(flow->running_file(), file);
}

TEST_F(FlowRig, ALostConnectionAtARestartIsNotTheFilesFault) {
  ASSERT_TRUE(last_good().keep(kFirst));
  ports.refusal = Refusal{"", "the connection broke"};
  const auto refusal = start(kSecond, true);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->exit_code(), ExitCode::failure);
  EXPECT_EQ(ports.pushed.size(), 1U);
}

TEST_F(FlowRig, ARestartWithoutALastGoodOneEndsWithTheFault) {
  const auto refusal = start(kBroken, true);
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->sentence().find("config.yaml:2:"), std::string::npos);
  EXPECT_EQ(refusal->exit_code(), ExitCode::bad_config);
  EXPECT_TRUE(ports.pushed.empty());
}

constexpr char kWithList[] =
    "mixed-port: 7890\n"
    "rule-providers: {own: {type: file, behavior: domain, format: text, path: own.txt}}\n"
    "rules: ['RULE-SET,own,REJECT', 'MATCH,DIRECT']\n";

TEST_F(FlowRig, NewContentOfASetIsPushedOnceHoweverOftenItIsTold) {
  scratch.put("own.txt", "a.test\n");
  EXPECT_FALSE(start(kWithList));
  scratch.put("own.txt", "a.test\nlonger.test\n");
  flow->sets_changed();
  flow->sets_changed();
  settle();
  ASSERT_EQ(ports.pushed.size(), 2U);
  EXPECT_NE(ports.pushed[1].ruleset, ports.pushed[0].ruleset);
  EXPECT_EQ(ports.pushed[1].rules, ports.pushed[0].rules);
  EXPECT_EQ(flow->running(), ports.in_force.back());
}

TEST_F(FlowRig, ContentThatIsTheSameIsNotPushed) {
  scratch.put("own.txt", "a.test\n");
  EXPECT_FALSE(start(kWithList));
  flow->sets_changed();
  settle();
  EXPECT_EQ(ports.pushed.size(), 1U);
}

TEST_F(FlowRig, NewContentWaitsForADataPlaneThatIsAway) {
  scratch.put("own.txt", "a.test\n");
  EXPECT_FALSE(start(kWithList));
  ports.up = false;
  scratch.put("own.txt", "b.test b.test\n");
  flow->sets_changed();
  settle();
  EXPECT_EQ(ports.pushed.size(), 1U);
  scratch.put("own.txt", "much-longer.test\n");
  ports.up = true;
  flow->data_plane_is_back();
  settle();
  EXPECT_EQ(ports.pushed.size(), 2U);
}

TEST_F(FlowRig, NewContentThatIsRefusedLeavesWhatRuns) {
  scratch.put("own.txt", "a.test\n");
  EXPECT_FALSE(start(kWithList));
  const RunningPtr before = flow->running();
  scratch.put("own.txt", "a.test\nlonger.test\n");
  ports.refusal = Refusal{"ruleset", "is too large"};
  flow->sets_changed();
  settle();
  EXPECT_EQ(flow->running(), before);
}

}  // namespace
}  // namespace sluice::control_plane
