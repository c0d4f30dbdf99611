#include "controlplane/model/tree.h"

#include <algorithm>
#include <utility>

namespace sluice::model {

const Member* Node::find(std::string_view key) const noexcept {
  const auto it = std::ranges::find(members, key, &Member::key);
  return it == members.end() ? nullptr : &*it;
}

std::string_view Document::keep(std::string_view text) {
  return texts_.emplace_back(text);
}

const Node* Document::add(const Node& node) {
  return &nodes_.emplace_back(node);
}

std::span<const Node* const> Document::keep(std::vector<const Node*> items) {
  return items_.emplace_back(std::move(items));
}

std::span<const Member> Document::keep(std::vector<Member> members) {
  return members_.emplace_back(std::move(members));
}

}  // namespace sluice::model
