// diff/differ.h - the one comparison: a table of parts, each with its key, walked over two values.
//
//   constexpr std::tuple kTable{Part{"port", &Listener::port}, Part{"type", type_of}, ...};
//
//   values(kTable, a, b)   one line "port: 1 -> 2" for each part that differs
//   changed(kTable, a, b)  "port, type": the keys of those parts
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controlplane/model/diff/values.h"

namespace sluice::model {

/// One thing that can differ: a member, or a function of the whole.
template <class Get>
struct Part {
  std::string_view key;
  Get get;
};
template <class Get>
Part(const char*, Get) -> Part<Get>;

/// A secret: that it changed is all that is said.
template <class Get>
struct Secret {
  std::string_view key;
  Get get;
};
template <class Get>
Secret(const char*, Get) -> Secret<Get>;

/// "server, port": the keys of those parts that differ.
template <class Table, class T>
[[nodiscard]] std::string changed(const Table& table, const T& a, const T& b) {
  std::string out;
  const auto look = [&](const auto& part) {
    if (std::invoke(part.get, a) == std::invoke(part.get, b)) return;
    out.append(out.empty() ? "" : ", ").append(part.key);
  };
  std::apply([&](const auto&... parts) { (look(parts), ...); }, table);
  return out;
}

/// Collects lines.
class Differ {
 public:
  template <class Table, class T>
  void values(const Table& table, const T& a, const T& b) {
    std::apply([&](const auto&... parts) { (value(parts, a, b), ...); }, table);
  }

  /// Lists of named things: added, removed, changed (with the parts of `table` that did), order.
  template <class T, class Table>
  void named(std::string_view list, const std::vector<T>& a, const std::vector<T>& b,
             const std::string T::* name, const Table& table) {
    const auto old_ones = by_name(a, name);
    const auto new_ones = by_name(b, name);
    const std::string lead = std::string(list) + ": ";
    for (const T& t : a)
      if (!new_ones.contains(t.*name)) line(lead + "removed " + t.*name);
    for (const T& t : b) {
      const auto it = old_ones.find(t.*name);
      if (it == old_ones.end())
        line(lead + "added " + t.*name);
      else if (!(*it->second == t))
        line(lead + t.*name + ": " + changed(table, *it->second, t) + " changed");
    }
    if (order_differs(a, b, name)) line(lead + "order changed");
  }

  void line(std::string text) { lines_.push_back(std::move(text)); }
  [[nodiscard]] std::vector<std::string> take() noexcept { return std::move(lines_); }

 private:
  template <class Get, class T>
  void value(const Part<Get>& part, const T& a, const T& b) {
    const auto& before = std::invoke(part.get, a);
    const auto& after = std::invoke(part.get, b);
    if (before != after) line(std::string(part.key) + ": " + show(before) + " -> " + show(after));
  }
  template <class Get, class T>
  void value(const Secret<Get>& part, const T& a, const T& b) {
    if (std::invoke(part.get, a) != std::invoke(part.get, b))
      line(std::string(part.key) + ": changed");
  }
  template <class T>
  static auto by_name(const std::vector<T>& list, const std::string T::* name) {
    std::unordered_map<std::string_view, const T*> out;
    for (const T& t : list) out.emplace(t.*name, &t);
    return out;
  }
  template <class T>
  static bool order_differs(const std::vector<T>& a, const std::vector<T>& b,
                            const std::string T::* name) {
    return a.size() == b.size() && !std::ranges::equal(a, b, {}, name, name) &&
           std::ranges::is_permutation(a, b, {}, name, name);
  }

  std::vector<std::string> lines_;
};

}  // namespace sluice::model
