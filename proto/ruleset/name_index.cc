#include "proto/ruleset/name_index.h"

#include <algorithm>
#include <bit>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint64_t kFactor = 0x9fb21c651e98df25ULL;
constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) noexcept {
  state = (state ^ word) * kFactor;
  return state ^ (state >> 32U);
}

std::uint64_t load(const char* at) noexcept {
  return load_u64(reinterpret_cast<const std::byte*>(at));
}

/// Continues `state`, the hash of what stands right of the label. Whole words, the last one
/// overlapping; a label shorter than a word is read in two halves or three bytes.
std::uint64_t hash_label(std::uint64_t state, const char* label, std::size_t size) noexcept {
  state += size;
  if (size < 4) {
    const auto byte = [label](std::size_t i) {
      return static_cast<std::uint64_t>(static_cast<unsigned char>(label[i]));
    };
    return mix(state, byte(0) | byte(size / 2) << 8U | byte(size - 1) << 16U);
  }
  if (size < 8) {
    const auto half = [label](std::size_t i) {
      return static_cast<std::uint64_t>(load_u32(reinterpret_cast<const std::byte*>(label + i)));
    };
    return mix(state, half(0) | half(size - 4) << 32U);
  }
  for (std::size_t at = 0; at + 8 < size; at += 8) state = mix(state, load(label + at));
  return mix(state, load(label + size - 8));
}

/// High bit of each byte of `word` that is zero. May also mark a byte of value 1 above a zero one;
/// such a slot is compared in full and fails there.
constexpr std::uint64_t zero_bytes(std::uint64_t word) noexcept {
  return (word - kLowBits) & ~word & kHighBits;
}

}  // namespace

SuffixHashes::SuffixHashes(std::string_view name, std::uint64_t seed) noexcept : count(0) {
  std::uint64_t state = seed;
  std::size_t end = name.size();
  for (std::size_t at = name.size(); at > 0 && count < kMaxLabels; --at) {
    const bool first = at == 1;
    if (!first && name[at - 2] != '.') continue;
    // A label begins at at - 1. Names in normal form have no empty label.
    const std::size_t begin = at - 1;
    state = hash_label(state, name.data() + begin, end - begin);
    hash[count] = state;
    start[count++] = static_cast<std::uint8_t>(begin);
    if (first) break;
    end = begin - 1;
    --at;
  }
}

std::expected<NameIndex, Invalid> NameIndex::open(ByteView section, std::size_t offset,
                                                  std::uint32_t line_count) {
  NameIndex out;
  SectionReader in(section);
  out.seed_ = in.u64();
  out.bucket_count_ = in.u32();
  out.name_count_ = in.u32();
  out.probe_count_ = in.u32();
  const std::uint32_t list_words = in.u32();
  const std::uint32_t pool_size = in.u32();
  const std::uint32_t zero = in.u32();
  if (out.bucket_count_ == 0 || out.bucket_count_ > (kMaxBlock_bytes / 72) || zero != 0 ||
      out.probe_count_ == 0 || out.probe_count_ > kMaxProbe)
    return std::unexpected(Invalid{"name index: impossible counts", offset});
  const std::uint32_t slot_count = out.bucket_count_ * kSlots;
  out.fingerprints_ = in.array(slot_count, 1).data();
  out.slots_ = Words(in.array(slot_count, 8));
  out.lists_ = in.words(list_words);
  out.pool_ = in.array(pool_size, 1);
  if (!in.complete())
    return std::unexpected(Invalid{"name index: arrays do not fill the section", offset});

  std::uint32_t names = 0;
  for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
    if (out.fingerprints_[slot] == std::byte{0}) continue;
    ++names;
    const char* wrong = out.check_slot(slot);
    if (wrong != nullptr) return std::unexpected(Invalid{wrong, offset});
  }
  if (names != out.name_count_)
    return std::unexpected(Invalid{"name index: another number of names", offset});
  for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
    if (out.fingerprints_[slot] == std::byte{0}) continue;
    const char* wrong = out.check_reference(slot, line_count);
    if (wrong != nullptr) return std::unexpected(Invalid{wrong, offset});
  }
  return out;
}

/// The name lies in the pool, is in normal form, and probing for it ends in this very slot.
const char* NameIndex::check_slot(std::uint32_t slot) const {
  const std::uint32_t at = slots_[2 * static_cast<std::size_t>(slot)];
  if (at >= pool_.size()) return "name index: a name outside the pool";
  const auto size = std::to_integer<std::size_t>(pool_[at]);
  if (size > pool_.size() - at - 1) return "name index: a name outside the pool";
  const std::string_view name = name_at(slot);
  if (!is_normal_name(name)) return "name index: a name that is not in normal form";
  const SuffixHashes hashes(name, seed_);
  // Names before this one are already known to lie in the pool; later ones may not, so the probe
  // goes by fingerprints only as far as this slot and compares nothing.
  const std::uint64_t hash = hashes.hash[hashes.count - 1];
  if (std::to_integer<std::uint8_t>(fingerprints_[slot]) != fingerprint(hash))
    return "name index: a wrong fingerprint";
  std::uint32_t bucket = home_bucket(hash, bucket_count_);
  for (std::uint32_t step = 0; step < probe_count_; ++step) {
    if (bucket == slot / kSlots) return nullptr;
    const auto* const prints = fingerprints_ + static_cast<std::size_t>(bucket) * kSlots;
    if (zero_bytes(load_u64(prints)) != 0) return "name index: a name that cannot be found";
    bucket = bucket + 1 == bucket_count_ ? 0 : bucket + 1;
  }
  return "name index: a name that cannot be found";
}

/// A list is: slot + 1 of the next shorter suffix or 0 | count of suffix lines | count of exact
/// lines | positions of both, each ascending. The outer name must be shorter: chains end.
const char* NameIndex::check_reference(std::uint32_t slot, std::uint32_t line_count) {
  const std::uint32_t ref = reference(slot);
  if ((ref & kListBit) == 0) {
    const std::uint32_t position = ref & ~kExactBit;
    if (position >= line_count) return "name index: a position past the last line";
    note_first(position);
    return nullptr;
  }
  const std::uint32_t at = ref & ~kListBit;
  if (at > lists_.size() || lists_.size() - at < 3) return "name index: a list out of bounds";
  const std::uint32_t outer = lists_[at];
  const std::uint32_t suffixes = lists_[at + 1];
  const std::uint32_t exact = lists_[at + 2];
  const std::uint32_t room = lists_.size() - at - 3;
  if (suffixes > room || exact > room - suffixes || suffixes + exact == 0)
    return "name index: a list out of bounds";
  if (!is_ascending(lists_, at + 3, suffixes, line_count) ||
      !is_ascending(lists_, at + 3 + suffixes, exact, line_count))
    return "name index: positions are out of order";
  if (suffixes > 0) note_first(lists_[at + 3]);
  if (exact > 0) note_first(lists_[at + 3 + suffixes]);
  if (outer == 0) return nullptr;
  if (outer > bucket_count_ * kSlots || fingerprints_[outer - 1] == std::byte{0})
    return "name index: an outer name that does not exist";
  const std::string_view name = name_at(slot);
  const std::string_view shorter = name_at(outer - 1);
  if (shorter.size() >= name.size() || !name.ends_with(shorter) ||
      name[name.size() - shorter.size() - 1] != '.')
    return "name index: an outer name that is no suffix";
  return nullptr;
}

void NameIndex::note_first(std::uint32_t position) noexcept {
  first_position_ = std::min(first_position_, position);
}

std::string_view NameIndex::name_at(std::uint32_t slot) const noexcept {
  const std::uint32_t at = slots_[2 * static_cast<std::size_t>(slot)];
  return as_text(pool_.subspan(at + 1, std::to_integer<std::size_t>(pool_[at])));
}

std::uint32_t NameIndex::probe(std::uint64_t hash, std::string_view name) const noexcept {
  const std::uint64_t wanted = kLowBits * fingerprint(hash);
  std::uint32_t bucket = home_bucket(hash, bucket_count_);
  for (std::uint32_t step = 0; step < probe_count_; ++step) {
    const std::uint64_t prints =
        load_u64(fingerprints_ + static_cast<std::size_t>(bucket) * kSlots);
    for (std::uint64_t hits = zero_bytes(prints ^ wanted); hits != 0; hits &= hits - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(hits)) / 8;
      const std::uint32_t slot = bucket * kSlots + lane;
      if (fingerprints_[slot] != std::byte{0} && name_at(slot) == name) return slot;
    }
    if (zero_bytes(prints) != 0) return kNone;
    bucket = bucket + 1 == bucket_count_ ? 0 : bucket + 1;
  }
  return kNone;
}

NameIndex::Found NameIndex::find(std::string_view name) const noexcept {
  if (name.empty() || bucket_count_ == 0) return {};
  const SuffixHashes hashes(name, seed_);
  for (std::uint32_t i = hashes.count; i > 0; --i) {
    const std::size_t start = hashes.start[i - 1];
    const std::uint32_t slot = probe(hashes.hash[i - 1], name.substr(start));
    if (slot != kNone) return {slot, start == 0};
  }
  return {};
}

std::uint32_t NameIndex::next(Found found, std::uint32_t from) const noexcept {
  std::uint32_t best = kNone;
  std::uint32_t slot = found.slot;
  bool whole = found.whole;
  while (slot != kNone) {
    const std::uint32_t ref = reference(slot);
    if ((ref & kListBit) == 0) {
      const std::uint32_t position = ref & ~kExactBit;
      const bool applies = whole || (ref & kExactBit) == 0;
      return applies && position >= from ? std::min(best, position) : best;
    }
    const std::uint32_t at = ref & ~kListBit;
    const std::uint32_t suffixes = lists_[at + 1];
    best = std::min(best, first_at_least(lists_, at + 3, suffixes, from));
    if (whole)
      best = std::min(best, first_at_least(lists_, at + 3 + suffixes, lists_[at + 2], from));
    slot = lists_[at] - 1;  // 0 becomes kNone
    whole = false;
  }
  return best;
}

}  // namespace sluice::ruleset
