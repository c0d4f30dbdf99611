// ruleformats/mmdb_value.h - the data section of a MaxMind database: typed values, read in place.
//
//   control byte: type(3 bits) size(5 bits); type 0: the next byte + 7; sizes 29, 30 and 31 go on
//   in 1, 2 and 3 bytes. Type 1 is a pointer to another place of the section; it leads to a value
//   that is no pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "controlplane/ruleformats/bounds.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

enum class MmdbType : std::uint8_t {
  none = 0,  ///< nothing here, or broken
  pointer = 1,
  text = 2,
  real = 3,
  bytes = 4,
  u16 = 5,
  u32 = 6,
  map = 7,
  i32 = 8,
  u64 = 9,
  u128 = 10,
  array = 11,
  container = 12,
  end = 13,
  boolean = 14,
  float32 = 15,
};

struct MmdbValue {
  MmdbType type = MmdbType::none;
  std::uint32_t size = 0;    ///< bytes; of a map pairs, of an array items
  std::uint64_t offset = 0;  ///< of its content in the section
};

/// How many values of a data section may be looked at: in one record, and in all records of a walk.
/// Records may overlap and stand in every leaf, so a bound for each alone bounds no walk.
class MmdbBudget {
 public:
  explicit MmdbBudget(std::uint64_t values) noexcept : left_(values) {}

  /// What is looked at from here on belongs to another record.
  void begin_record() noexcept { record_left_ = kMaxRecordValues; }
  /// One more value. False when the record or the walk has used up its share.
  [[nodiscard]] bool take() noexcept;
  /// Whether the walk's share was too small; a record that is too large says nothing here.
  [[nodiscard]] bool spent() const noexcept { return spent_; }

 private:
  std::uint64_t left_;
  unsigned record_left_ = kMaxRecordValues;
  bool spent_ = false;
};

class MmdbData {
 public:
  MmdbData() noexcept = default;
  explicit MmdbData(ByteView section) noexcept : section_(section) {}

  /// The value at `offset`, behind a pointer if there is one.
  [[nodiscard]] MmdbValue at(std::uint64_t offset) const noexcept;
  /// Empty unless it is a text.
  [[nodiscard]] std::string_view text(const MmdbValue& value) const noexcept;
  /// Unsigned numbers of up to 64 bits; nothing for anything else.
  [[nodiscard]] std::optional<std::uint64_t> number(const MmdbValue& value) const noexcept;
  /// The value of a key; none when `map` is no map, has no such key or exceeds the budget.
  [[nodiscard]] MmdbValue member(const MmdbValue& map, std::string_view key,
                                 MmdbBudget& budget) const noexcept;
  /// Hands out the items of an array one by one: start with index 0 and the array's offset.
  /// None past the end or the budget.
  [[nodiscard]] MmdbValue item(const MmdbValue& array, std::uint32_t index, std::uint64_t& offset,
                               MmdbBudget& budget) const noexcept;

 private:
  struct Head {
    MmdbValue value;
    std::uint64_t target = 0;  ///< of a pointer
    std::uint64_t end = 0;     ///< behind the value; of a map or array: behind its head
  };
  [[nodiscard]] Head head(std::uint64_t offset) const noexcept;
  /// Behind the value at `offset` with all that it holds; nothing when that breaks off or takes
  /// more values than the budget has.
  [[nodiscard]] std::optional<std::uint64_t> skip(std::uint64_t offset,
                                                  MmdbBudget& budget) const noexcept;

  ByteView section_;
};

}  // namespace sluice::ruleformats
