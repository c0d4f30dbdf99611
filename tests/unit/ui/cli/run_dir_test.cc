#include "ui/cli/run_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "proto/runtime/process/paths.h"

namespace sluice::cli {
namespace {

TEST(RunDir, WhatIsAskedForWins) {
  EXPECT_EQ(find_run_dir("/x", {0, ""}), "/x");
  EXPECT_EQ(find_run_dir("/x", {1000, "/run/user/1000/sluice"}), "/x");
}

TEST(RunDir, RootsIsTheSystems) {
  EXPECT_EQ(find_run_dir("", {0, "/run/user/0/sluice"}), "/run/sluice");
}

TEST(RunDir, AUsersIsTheOwnOneWhenARouterIsThere) {
  namespace fs = std::filesystem;
  const fs::path base = fs::path(::testing::TempDir()) / "run_dir_test";
  fs::create_directories(base / "sluice/cp");
  std::ofstream(base / "sluice/cp/manage.sock");
  EXPECT_EQ(find_run_dir("", {1000, base / "sluice"}), base / "sluice");
  fs::remove_all(base);
}

TEST(RunDir, ItIsWhereARouterOfThisUserWouldStart) {
  const Surroundings here = Surroundings::of_process();
  EXPECT_EQ(here.own_dir, default_run_directory(here.uid));
}

TEST(RunDir, TheSocketIsTheControlPlanes) {
  EXPECT_EQ(socket_of("/run/sluice"), "/run/sluice/cp/manage.sock");
}

}  // namespace
}  // namespace sluice::cli
