#include "controlplane/dns/names/name_patterns.h"

namespace sluice::dns {
namespace {

/// Takes the last label off `rest`.
std::string_view take_last(std::string_view& rest) noexcept {
  const std::size_t dot = rest.rfind('.');
  const std::string_view label = dot == std::string_view::npos ? rest : rest.substr(dot + 1);
  rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(0, dot);
  return label;
}

bool legal_label(std::string_view label) noexcept {
  if (label == "*") return true;
  return !label.empty() && label.find_first_of("*+") == std::string_view::npos;
}

void set_first(std::optional<std::uint32_t>& slot, std::uint32_t value) {
  if (!slot) slot = value;
}

}  // namespace

Status NamePatterns::add(std::string_view pattern, std::uint32_t value) {
  const bool with_itself = pattern.starts_with("+.");
  const bool below_only = pattern.starts_with('.');
  std::string_view rest = pattern.substr(with_itself ? 2 : below_only ? 1 : 0);
  if (rest.empty() || rest.starts_with('.')) return fail(Errc::malformed);
  Node* node = root_.get();
  while (!rest.empty()) {
    const std::string_view label = take_last(rest);
    if (!legal_label(label)) return fail(Errc::malformed);
    auto& child = node->children[std::string(label)];
    if (child == nullptr) child = std::make_unique<Node>();
    node = child.get();
  }
  if (!below_only) set_first(node->here, value);
  if (below_only || with_itself) set_first(node->below, value);
  ++count_;
  return {};
}

std::optional<std::uint32_t> NamePatterns::search(const Node& node,
                                                  std::string_view rest) noexcept {
  if (rest.empty()) return node.here;
  const std::string_view label = take_last(rest);
  for (const std::string_view key : {label, std::string_view("*")}) {
    const auto child = node.children.find(key);
    if (child == node.children.end()) continue;
    if (const auto found = search(*child->second, rest)) return found;
  }
  return node.below;
}

std::optional<std::uint32_t> NamePatterns::find(std::string_view name) const noexcept {
  return search(*root_, name);
}

}  // namespace sluice::dns
