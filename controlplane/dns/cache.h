// dns/cache.h - answers kept by their TTL, bounded in entries and bytes, least recently used out.
//
// An expired answer stays until it is pushed out: it may serve the data plane while no server
// answers (RFC 8767). Time is a parameter. Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "controlplane/dns/message/answer.h"
#include "controlplane/dns/message/query.h"
#include "proto/common/clock.h"

namespace sluice::dns {

/// What makes two questions equal: the name without case, type, DO, CD, and which servers are
/// asked. Fits without a heap block.
class QuestionKey {
 public:
  QuestionKey(const Query& query, std::uint8_t server_set) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kMaxWireName + 4> text_{};
  std::size_t size_ = 0;
};

class Cache {
 public:
  Cache(std::size_t max_count, std::size_t max_bytes) noexcept
      : max_count_(max_count), max_bytes_(max_bytes) {}

  using AnswerRef = std::shared_ptr<const Answer>;
  struct Hit {
    AnswerRef answer;
    std::uint32_t age_s = 0;
  };
  /// An answer that has not expired.
  [[nodiscard]] std::optional<Hit> find(const QuestionKey& key, Moment now);
  /// An expired answer that is at most kMaxStale old; records no use.
  [[nodiscard]] AnswerRef find_stale(const QuestionKey& key, Moment now) const;
  /// Kept for answer->ttl_s; one with TTL 0 is not kept.
  void put(const QuestionKey& key, AnswerRef answer, Moment now);
  /// A failure is remembered briefly beside what was known before, which may be stale by then.
  void put_failure(const QuestionKey& key, AnswerRef answer, Moment now);
  void flush() noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return order_.size(); }
  [[nodiscard]] std::size_t max_count() const noexcept { return max_count_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  /// Another bound; what exceeds it goes.
  void set_max_count(std::size_t max_count) noexcept;

 private:
  struct Entry {
    std::string key;
    AnswerRef answer;  // never a failure
    Moment stored{};
    Moment expires{};
    AnswerRef failure;
    Moment failed{};
    Moment failure_expires{};
  };
  using Position = std::list<Entry>::iterator;
  [[nodiscard]] static std::size_t size_of(const Entry& entry) noexcept;
  Entry& touch(const QuestionKey& key);
  void shrink() noexcept;
  void drop_oldest() noexcept;

  std::size_t max_count_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::list<Entry> order_;                                 // least recently used first
  std::unordered_map<std::string_view, Position> by_key_;  // views into the entries
};

}  // namespace sluice::dns
