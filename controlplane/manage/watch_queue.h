// manage/watch_queue.h - what waits for a slow reader, bounded, and what gives way.
//
//   LatestQueue   one value; a newer one replaces it (whole tables)
//   BoundedQueue  the last kLogQueueCount; the oldest go and are counted (log lines)
//   NamedQueue    one value a name; a newer one replaces it (progress of several things at once)
//
// Plain state; the call that holds one guards it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::manage {

template <class Value>
class LatestQueue {
 public:
  using Batch = Value;
  void push(Value value) { value_ = std::move(value); }
  [[nodiscard]] bool empty() const noexcept { return !value_; }
  /// Not empty.
  Batch take() { return *std::exchange(value_, std::nullopt); }

 private:
  std::optional<Value> value_;
};

/// `Value` has a `name`. Bounded by how many names there are; the last value of each is never lost.
template <class Value>
class NamedQueue {
 public:
  using Batch = std::vector<Value>;
  void push(Value value) {
    const auto same = std::ranges::find(values_, value.name, &Value::name);
    if (same == values_.end())
      values_.push_back(std::move(value));
    else
      *same = std::move(value);
  }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  Batch take() { return std::exchange(values_, {}); }

 private:
  std::vector<Value> values_;
};

template <class Value>
struct CountedBatch {
  std::vector<Value> values;
  std::uint64_t dropped = 0;  ///< left out before these
};

template <class Value, std::size_t bound>
class BoundedQueue {
 public:
  using Batch = CountedBatch<Value>;
  void push(Value value) {
    if (values_.size() == bound) {
      values_.pop_front();
      ++dropped_;
    }
    values_.push_back(std::move(value));
  }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  Batch take() {
    Batch out;
    out.values.assign(std::make_move_iterator(values_.begin()),
                      std::make_move_iterator(values_.end()));
    out.dropped = std::exchange(dropped_, 0);
    values_.clear();
    return out;
  }

 private:
  std::deque<Value> values_;
  std::uint64_t dropped_ = 0;
};

}  // namespace sluice::manage
