// keys/key.h - what is known about configuration keys: names, whether they are built, what is
// below.
//
// The tables in this folder list every key of the Clash/Mihomo language that Sluice knows, built or
// not, so that nothing in a file is silently ignored: a key that is known but not built yet and a
// key that nobody knows get different warnings. All data is constant and static.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sluice::model::keys {

enum class State : std::uint8_t {
  built,
  later,    ///< known, not built yet: without effect, warned about once
  needed,   ///< later, and what carries it cannot work without: a proxy is refused, a listener shut
  removed,  ///< dropped by other programs as well: only a warning
};

struct KeyMap;

struct Key {
  /// What stands below the key, as far as keys are checked there.
  enum class Shape : std::uint8_t { value, map, list_of_maps, map_of_maps };

  std::string_view name;
  State state = State::later;
  Shape shape = Shape::value;
  const KeyMap* below = nullptr;

  // NOLINTNEXTLINE(google-explicit-constructor): tables list mostly bare names.
  consteval Key(const char* key_name) : name(key_name) {}
  consteval Key(const char* key_name, State s) : name(key_name), state(s) {}
  consteval Key(const char* key_name, State s, Shape sh, const KeyMap* map)
      : name(key_name), state(s), shape(sh), below(map) {}
};

/// The keys of one kind of map: a union of lists, since proxies share whole sets.
struct KeyMap {
  std::array<std::span<const Key>, 6> parts{};

  [[nodiscard]] constexpr const Key* find(std::string_view name) const noexcept {
    for (const auto& part : parts)
      for (const Key& key : part)
        if (key.name == name) return &key;
    return nullptr;
  }
};

/// `keys("a", built("b"), map("c", kC))`: one table.
template <class... K>
consteval std::array<Key, sizeof...(K)> keys(K... list) {
  return {Key(list)...};
}
consteval Key built(const char* name) {
  return {name, State::built};
}
consteval Key needed(const char* name) {
  return {name, State::needed};
}
consteval Key removed(const char* name) {
  return {name, State::removed};
}
consteval Key map(const char* name, const KeyMap& below, State state = State::later) {
  return {name, state, Key::Shape::map, &below};
}
consteval Key maps(const char* name, const KeyMap& below, State state = State::later) {
  return {name, state, Key::Shape::list_of_maps, &below};
}
consteval Key named_maps(const char* name, const KeyMap& below, State state = State::later) {
  return {name, state, Key::Shape::map_of_maps, &below};
}

/// The whole file. Entries of `proxies`, `listeners` and `proxy-groups` have tables by type.
extern const KeyMap kTopLevel;
/// One entry of `proxy-groups`, any type.
extern const KeyMap kGroup;

}  // namespace sluice::model::keys
