// ruleset/shared_lists.h - lists of refs in a pool of words, each stored once.
//
//   words:  count ref ref ref | count ref | ...      a list is named by the offset of its count
//
// 100,000 names of one set share one list. ListPool makes the pool, ListStarts checks it: lists
// follow each other without gaps, so the check costs what the pool is long, however often a list
// is named.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "proto/common/hash.h"
#include "proto/ruleset/format.h"

namespace sluice::ruleset {

class ListPool {
 public:
  /// The offset of the list with these words; they are not empty.
  std::uint32_t add(std::span<const std::uint32_t> refs) {
    const std::uint64_t hash = hash_bytes(std::as_bytes(refs));
    for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
      if (equals(at->second, refs)) return at->second;
    const auto offset = static_cast<std::uint32_t>(words_.size());
    words_.push_back(static_cast<std::uint32_t>(refs.size()));
    words_.insert(words_.end(), refs.begin(), refs.end());
    by_hash_.emplace(hash, offset);
    return offset;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& words() const noexcept { return words_; }
  /// Of a list that add() named; valid until the next one is added.
  [[nodiscard]] std::span<const std::uint32_t> refs(std::uint32_t offset) const {
    return {words_.data() + offset + 1, words_[offset]};
  }

 private:
  [[nodiscard]] bool equals(std::uint32_t offset, std::span<const std::uint32_t> refs) const {
    if (words_[offset] != refs.size()) return false;
    for (std::size_t i = 0; i < refs.size(); ++i)
      if (words_[offset + 1 + i] != refs[i]) return false;
    return true;
  }
  std::vector<std::uint32_t> words_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

class ListStarts {
 public:
  /// Nothing when a list is cut off, empty, out of order, or holds a ref at or above `bound`.
  /// `tag_bits`: low bits of each word that are no part of the ref; not all zero where there are
  /// any.
  static std::optional<ListStarts> check(const Words& words, std::uint32_t bound,
                                         unsigned tag_bits = 0) {
    ListStarts out;
    out.starts_.resize(words.size());
    const std::uint32_t tags = (1U << tag_bits) - 1;
    for (std::uint32_t at = 0; at < words.size();) {
      const std::uint32_t count = words[at];
      if (count == 0 || count > words.size() - at - 1) return std::nullopt;
      out.starts_[at] = true;
      std::uint32_t last = kNone;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t word = words[at + 1 + i];
        const std::uint32_t ref = word >> tag_bits;
        if (ref >= bound || (i > 0 && ref <= last)) return std::nullopt;
        if (tag_bits != 0 && (word & tags) == 0) return std::nullopt;
        last = ref;
      }
      at += count + 1;
    }
    return out;
  }
  [[nodiscard]] bool is_list(std::uint32_t offset) const noexcept {
    return offset < starts_.size() && starts_[offset];
  }

 private:
  std::vector<bool> starts_;
};

}  // namespace sluice::ruleset
