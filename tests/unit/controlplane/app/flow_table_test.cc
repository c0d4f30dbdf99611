#include <gtest/gtest.h>

#include "controlplane/app/flow_watches.h"

namespace sluice::control_plane {
namespace {

contract::FlowInfo flow(std::uint64_t id) {
  contract::FlowInfo out;
  out.id = id;
  return out;
}

TEST(FlowTableModel, FollowsTheDifferencesInOrderOfAge) {
  FlowTableModel table;
  table.apply({.reset = true, .flows = {flow(7), flow(3)}});
  table.apply({.flows = {flow(5)}, .progress = {{3, 10, 20}, {99, 1, 1}}});
  auto flows = table.flows();
  ASSERT_EQ(flows.size(), 3U);
  EXPECT_EQ(flows[0].id, 3U);
  EXPECT_EQ(flows[0].upload, 10U);
  EXPECT_EQ(flows[0].download, 20U);
  EXPECT_EQ(flows[2].id, 7U);
  table.apply({.closed = {flow(3), flow(1000)}});
  EXPECT_EQ(table.flows().size(), 2U);
}

TEST(FlowTableModel, ResetForgetsWhatWasBefore) {
  FlowTableModel table;
  table.apply({.reset = true, .flows = {flow(1), flow(2)}});
  table.apply({.reset = true, .flows = {flow(3)}});
  ASSERT_EQ(table.flows().size(), 1U);
  EXPECT_EQ(table.flows()[0].id, 3U);
}

}  // namespace
}  // namespace sluice::control_plane
