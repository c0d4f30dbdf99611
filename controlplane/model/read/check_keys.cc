#include <algorithm>

#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

using keys::Key;
using keys::KeyMap;
using keys::State;

/// Walks the tree along the key tables.
class KeyCheck {
 public:
  explicit KeyCheck(Report& report) noexcept : report_(report) {}

  /// `area` is the path without list positions ("proxies[]"): the same key there is one topic.
  /// `quiet`: something above is not built and was said; only unknown keys are worth a word.
  void check(const Node& node, const KeyMap& map, const std::string& path, const std::string& area,
             bool quiet) {
    if (!node.is_mapping()) return;  // the reader of that part says so
    for (const Member& member : node.members) {
      const Key* key = map.find(member.key);
      const std::string at = join_path(path, member.key);
      if (key == nullptr) {
        unknown(member, map, at, area);
        continue;
      }
      if (!quiet) not_built(*key, member, at, area);
      below(*key, *member.value, at, join_path(area, member.key),
            quiet || key->state != State::built);
    }
  }

  /// The entries of `proxies`, `listeners` and `proxy-groups`, each by the table of its type.
  template <class FindMap>
  void check_entries(const Node& root, std::string_view list, const FindMap& find_map) {
    const Member* member = root.find(list);
    if (member == nullptr || !member->value->is_sequence()) return;
    const std::string area = std::string(list) + "[]";
    for (std::size_t i = 0; i < member->value->items.size(); ++i) {
      const Node& entry = *member->value->items[i];
      const Member* type = entry.is_mapping() ? entry.find("type") : nullptr;
      if (type == nullptr || !type->value->is_scalar()) continue;
      if (const auto [map, quiet] = find_map(type->value->text); map != nullptr)
        check(entry, *map, join_path(list, i), area, quiet);
    }
  }

 private:
  void unknown(const Member& member, const KeyMap& map, const std::string& path,
               const std::string& area) {
    Nearest nearest(member.key);
    for (const auto& part : map.parts)
      for (const Key& key : part) nearest.offer(key.name);
    report_.warning_once("unknown " + join_path(area, member.key), {member.position(), path},
                         "unknown key", nearest.remedy("it is ignored: correct or remove it"));
  }

  void not_built(const Key& key, const Member& member, const std::string& path,
                 const std::string& area) {
    const Place place{member.position(), path};
    const std::string topic = join_path(area, key.name);
    switch (key.state) {
      case State::built:
        break;
      case State::later:
        report_.warning_once(topic, place, "known, not built yet", "it has no effect");
        break;
      case State::needed:
        // Each one shuts something, so each is said.
        if (!is_off(*member.value))
          report_.warning(place, "known, not built yet",
                          "what needs it is refused until then, never done without it");
        break;
      case State::removed:
        report_.warning_once(topic, place, "no longer means anything", "remove it");
        break;
    }
  }

  void below(const Key& key, const Node& node, const std::string& path, const std::string& area,
             bool quiet) {
    switch (key.shape) {
      case Key::Shape::value:
        break;
      case Key::Shape::map:
        check(node, *key.below, path, area, quiet);
        break;
      case Key::Shape::list_of_maps:
        for (std::size_t i = 0; i < node.items.size(); ++i)
          check(*node.items[i], *key.below, join_path(path, i), area + "[]", quiet);
        break;
      case Key::Shape::map_of_maps:
        for (const Member& member : node.members)
          check(*member.value, *key.below, join_path(path, member.key), area + "[]", quiet);
        break;
    }
  }

  Report& report_;
};

struct MapChoice {
  const KeyMap* map = nullptr;
  bool quiet = false;
};

}  // namespace

bool is_off(const Node& node) noexcept {
  if (node.is_null()) return true;
  switch (node.kind) {
    case Node::Kind::scalar:
      return node.text.empty() || node.text == "0" || parse_flag(node.text) == false;
    case Node::Kind::sequence:
      return node.items.empty();
    case Node::Kind::mapping:
      break;
  }
  for (const std::string_view key : {"enabled", "enable"})
    if (const Member* m = node.find(key)) return is_off(*m->value);
  return node.members.empty();
}

void check_keys(const Node& root, Report& report) {
  KeyCheck check(report);
  check.check(root, keys::kTopLevel, "", "", false);
  check.check_entries(root, "proxies", [](std::string_view type) -> MapChoice {
    const auto types = keys::proxy_types();
    const auto it = std::ranges::find(types, type, &keys::ProxyType::name);
    if (it == types.end()) return {};
    return {&it->keys, it->kind == contract::OutboundKind::unbuilt};
  });
  check.check_entries(root, "listeners", [](std::string_view type) -> MapChoice {
    const auto types = keys::listener_types();
    const auto it = std::ranges::find(types, type, &keys::ListenerType::name);
    if (it == types.end()) return {};
    return {&it->keys, !it->kind.has_value()};
  });
  // A group type that is not built acts as `select`, so its other keys are worth a word each.
  check.check_entries(root, "proxy-groups",
                      [](std::string_view) -> MapChoice { return {&keys::kGroup, false}; });
}

}  // namespace sluice::model
