// common/sort_stably.h - sorting that keeps the order of equal elements.
//
// std::stable_sort of GCC 12's library uses std::get_temporary_buffer, which is deprecated; Clang
// says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace sluice {

/// `less(a, b)`: whether a comes before b. The elements are moved twice. Errors: bad_alloc, before
/// anything moved.
template <class Iterator, class Less>
void sort_stably(Iterator first, Iterator last, Less less) {
  using Value = typename std::iterator_traits<Iterator>::value_type;
  const auto at = [first](std::size_t i) -> decltype(auto) {
    return first[static_cast<typename std::iterator_traits<Iterator>::difference_type>(i)];
  };
  std::vector<std::size_t> order(static_cast<std::size_t>(last - first));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (less(at(a), at(b))) return true;
    return !less(at(b), at(a)) && a < b;
  });
  std::vector<Value> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(at(i)));
  std::ranges::move(sorted, first);
}

}  // namespace sluice
