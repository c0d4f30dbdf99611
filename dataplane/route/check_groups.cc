#include <algorithm>

#include "dataplane/route/check.h"

namespace sluice::route {
namespace {

using contract::Outbound;
using contract::OutboundKind;

Check check_members(const std::vector<Outbound>& outbounds) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < outbounds.size(); ++i) {
    const Outbound& o = outbounds[i];
    const std::string at = place("outbounds", i);
    if (o.kind != OutboundKind::select) {
      if (!o.members.empty()) return refuse(at + ".members", "must be empty for this kind");
      if (o.initial_choice != 0) return refuse(at + ".initial_choice", "must be 0 for this kind");
      continue;
    }
    total += o.members.size();
    if (o.members.empty()) return refuse(at + ".members", "is empty");
    if (total > kMaxMembers) return refuse(at + ".members", "groups have too many members");
    for (std::size_t m = 0; m < o.members.size(); ++m)
      if (o.members[m] >= outbounds.size())
        return refuse(place(at + ".members", m), "names no outbound");
    if (o.initial_choice >= o.members.size())
      return refuse(at + ".initial_choice", "names no member");
  }
  return {};
}

/// Longest way down from every group, depth first without recursion.
class Heights {
 public:
  explicit Heights(const std::vector<Outbound>& outbounds)
      : outbounds_(outbounds), height_(outbounds.size(), kUnknown) {}

  Check visit(std::uint32_t root) {
    if (height_[root] == kUnknown) enter(root);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      const auto& members = outbounds_[top.index].members;
      if (top.next == members.size()) {
        if (auto wrong = leave()) return wrong;
        continue;
      }
      const std::uint32_t member = members[top.next];
      if (height_[member] == kOpen)
        return refuse(place(place("outbounds", top.index) + ".members", top.next),
                      "makes the group a member of itself");
      if (height_[member] == kUnknown) {
        enter(member);
      } else {
        top.height = std::max(top.height, height_[member]);
        ++top.next;
      }
    }
    return {};
  }

 private:
  static constexpr std::uint32_t kUnknown = 0;  // real heights start at 1
  static constexpr std::uint32_t kOpen = 0xffffffffU;
  struct Frame {
    std::uint32_t index;
    std::size_t next;      // member to look at
    std::uint32_t height;  // of the highest member so far
  };

  void enter(std::uint32_t index) {
    height_[index] = kOpen;
    stack_.push_back({index, 0, 0});
  }
  Check leave() {
    const Frame done = stack_.back();
    stack_.pop_back();
    height_[done.index] = done.height + 1;
    if (height_[done.index] > kMaxChain)
      return refuse(place("outbounds", done.index) + ".members", "groups are nested too deep");
    return {};
  }

  const std::vector<Outbound>& outbounds_;
  std::vector<std::uint32_t> height_;
  std::vector<Frame> stack_;
};

}  // namespace

Check check_groups(const std::vector<Outbound>& outbounds) {
  if (auto wrong = check_members(outbounds)) return wrong;
  Heights heights(outbounds);
  for (std::uint32_t i = 0; i < outbounds.size(); ++i)
    if (auto wrong = heights.visit(i)) return wrong;
  return {};
}

}  // namespace sluice::route
