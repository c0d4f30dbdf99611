// The look-up; name_check.cc holds the validation.
#include "proto/ruleset/name_index.h"

#include <algorithm>
#include <bit>

namespace sluice::ruleset {
namespace {

constexpr std::uint64_t kFactor = 0x9fb21c651e98df25ULL;
constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr std::size_t kWord = 8;

#ifdef __SIZEOF_INT128__
__extension__ using Product = unsigned __int128;

/// Both halves of a product, folded: which words give the same result depends on the whole state,
/// so names that collide under every seed cannot be written down.
constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) noexcept {
  const Product product = static_cast<Product>(state ^ word) * kFactor;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}
#else
constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) noexcept {
  constexpr std::uint64_t kLow = 0xffffffffULL;
  const std::uint64_t x = state ^ word;
  const std::uint64_t low = (x & kLow) * (kFactor & kLow);
  const std::uint64_t middle = (x >> 32U) * (kFactor & kLow) + (low >> 32U);
  const std::uint64_t cross = (x & kLow) * (kFactor >> 32U) + (middle & kLow);
  const std::uint64_t high = (x >> 32U) * (kFactor >> 32U) + (middle >> 32U) + (cross >> 32U);
  return (x * kFactor) ^ high;
}
#endif

/// High bit of each byte of `word` that is zero. May also mark a byte of value 1 above a zero one;
/// such a slot is compared in full and fails there.
constexpr std::uint64_t zero_bytes(std::uint64_t word) noexcept {
  return (word - kLowBits) & ~word & kHighBits;
}

/// The first `size` (1..8) bytes of a word, as little endian.
constexpr std::uint64_t keep(std::uint64_t word, std::size_t size) noexcept {
  return word & (~0ULL >> (8 * (kWord - size)));
}

/// Reads whole words anywhere in a name, as if zeros stood behind it, and never past its end: the
/// last word ends where the name does. (A padded copy would cost more: its stores are narrower than
/// the loads behind them.)
class WordReader {
 public:
  explicit WordReader(std::string_view name) noexcept
      : data_(reinterpret_cast<const std::byte*>(name.data())) {
    if (name.size() >= kWord) {
      last_ = name.size() - kWord;
      return;
    }
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < name.size(); ++i)
      whole |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (8 * i);
    if constexpr (std::endian::native == std::endian::big) whole = __builtin_bswap64(whole);
    std::memcpy(short_.data(), &whole, kWord);
    data_ = short_.data();
  }
  WordReader(const WordReader&) = delete;
  WordReader& operator=(const WordReader&) = delete;

  /// The 8 bytes from `at` on; at < size, or less than 8 for a shorter name.
  [[nodiscard]] std::uint64_t at(std::size_t at) const noexcept {
    const std::size_t from = std::min(at, last_);
    return load_u64(data_ + from) >> (8 * (at - from));
  }

 private:
  const std::byte* data_;
  std::size_t last_ = 0;
  std::array<std::byte, kWord> short_;  // the whole of a name that is shorter than a word
};

/// Continues `state`, the hash of what stands right of the label.
std::uint64_t hash_label(std::uint64_t state, const WordReader& name, std::size_t begin,
                         std::size_t size) noexcept {
  state += size;
  while (size > kWord) {
    state = mix(state, name.at(begin));
    begin += kWord;
    size -= kWord;
  }
  return mix(state, keep(name.at(begin), size));
}

/// Bit per byte of the word that is a dot.
std::uint64_t dots_in(std::uint64_t word) noexcept {
  const std::uint64_t x = word ^ (kLowBits * '.');
  // Exact for bytes below 0x80 and above: no borrow crosses a byte.
  const std::uint64_t low7 = ~kHighBits;
  const std::uint64_t zero = ~(((x & low7) + low7) | x | low7);
  return ((zero >> 7U) * 0x0102040810204080ULL) >> 56U;
}

}  // namespace

SuffixHashes::SuffixHashes(std::string_view name, std::uint64_t seed) noexcept : count(0) {
  const WordReader words(name);
  std::uint64_t state = seed;
  std::size_t end = name.size();
  // Chunks of 64 bytes from the right; each gives the places of its dots as one word.
  for (std::size_t chunk = (name.size() - 1) / 64 + 1; chunk-- > 0;) {
    std::uint64_t dots = 0;
    const std::size_t base = 64 * chunk;
    for (std::size_t at = 0; at < 64 && base + at < name.size(); at += kWord)
      dots |= dots_in(words.at(base + at)) << at;
    while (dots != 0) {
      const auto dot = 63U - static_cast<std::uint32_t>(std::countl_zero(dots));
      dots ^= 1ULL << dot;
      const std::size_t begin = base + dot + 1;
      state = hash_label(state, words, begin, end - begin);
      hash[count] = state;
      start[count++] = static_cast<std::uint8_t>(begin);
      end = begin - 1;
    }
  }
  hash[count] = hash_label(state, words, 0, end);
  start[count++] = 0;
}

std::string_view NameIndex::name_at(std::uint32_t slot) const noexcept {
  const std::byte* const here = record(slot / kSlots);
  const unsigned lane = slot % kSlots;
  const std::uint64_t sizes = load_u64(here);
  // Used lanes come first and have a size.
  const auto used = (71U - static_cast<unsigned>(std::countl_zero(sizes))) / 8;
  // The sum of the sizes before this one; 16 bits are enough for 7 x 255.
  const std::uint64_t before = lane == 0 ? 0 : keep(sizes, lane);
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;
  const std::uint64_t pairs = (before & kEven) + ((before >> 8U) & kEven);
  const auto skip = static_cast<std::size_t>((pairs * 0x0001000100010001ULL) >> 48U);
  const auto size = static_cast<std::size_t>((sizes >> (8 * lane)) & 0xffU);
  return as_text(ByteView(here + kSizes_bytes + 4 * static_cast<std::size_t>(used) + skip, size));
}

/// Sizes say where a name lies: without this its line would be waited for after theirs.
void NameIndex::fetch_record(std::uint32_t bucket) const noexcept {
  constexpr std::size_t kLine_bytes = 64;
  const std::byte* const here = record(bucket);
  for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(here + line * kLine_bytes);
}

std::uint32_t NameIndex::probe(std::uint64_t hash, std::string_view name) const noexcept {
  const std::uint64_t wanted = kLowBits * fingerprint(hash);
  std::uint32_t at = home_bucket(hash, bucket_count_);
  for (std::uint32_t step = 0; step < probe_count_; ++step) {
    const std::uint64_t prints = load_u64(fingerprints_ + static_cast<std::size_t>(at) * kSlots);
    std::uint64_t hits = zero_bytes(prints ^ wanted);
    if (hits != 0) fetch_record(at);
    for (; hits != 0; hits &= hits - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(hits)) / 8;
      const std::uint32_t slot = at * kSlots + lane;
      if (fingerprints_[slot] != std::byte{0} && name_at(slot) == name) return slot;
    }
    if (zero_bytes(prints) != 0) return kNone;
    at = at + 1 == bucket_count_ ? 0 : at + 1;
  }
  return kNone;
}

NameIndex::Found NameIndex::find(std::string_view name) const noexcept {
  if (name.empty() || bucket_count_ == 0) return {};
  const SuffixHashes hashes(name, seed_);
  for (std::uint32_t i = hashes.count; i > 0; --i) {
    if ((label_counts_ & label_bit(i)) == 0) continue;
    const std::uint32_t slot = probe(hashes.hash[i - 1], name.substr(hashes.start[i - 1]));
    if (slot == kNone) continue;
    if (i == hashes.count) return {slot, kWhole};
    return {slot, i + 1 == hashes.count ? kChild : kDeeper};
  }
  return {};
}

std::uint32_t NameIndex::next_of(std::uint32_t ref, std::uint8_t relation,
                                 std::uint32_t from) const noexcept {
  if ((ref & kListBit) == 0) {
    const std::uint32_t position = ref >> kRelationBits;
    return (ref & relation) != 0 && position >= from ? position : kNone;
  }
  const std::uint32_t list = ref & ~kListBit;
  const std::uint32_t count = lists_[list];
  // Words at or after `from` start at from << 3: relations are the low bits and never zero.
  std::uint32_t at = 0;
  for (std::uint32_t left = count; left > 0;) {
    const std::uint32_t half = left / 2;
    if ((lists_[list + 1 + at + half] >> kRelationBits) < from) {
      at += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  for (; at < count; ++at) {
    const std::uint32_t word = lists_[list + 1 + at];
    if ((word & relation) != 0) return word >> kRelationBits;
  }
  return kNone;
}

std::uint32_t NameIndex::next(Found found, std::uint32_t from) const noexcept {
  std::uint32_t best = kNone;
  while (found.slot != kNone) {
    const std::uint32_t ref = reference(found.slot);
    if ((ref & (kListBit | kNestedBit)) != kNestedBit)
      return std::min(best, next_of(ref, found.relation, from));
    const std::size_t record = 2 * static_cast<std::size_t>(ref & ~kNestedBit);
    best = std::min(best, next_of(nested_[record + 1], found.relation, from));
    const std::uint32_t outer = nested_[record];
    const bool child = found.relation == kWhole && (outer & kParentBit) != 0;
    found = {outer & ~kParentBit, child ? kChild : kDeeper};
  }
  return best;
}

}  // namespace sluice::ruleset
