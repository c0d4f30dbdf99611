// Validation of a name index: after this the look-up checks nothing.
#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {

std::expected<NameIndex, Invalid> NameIndex::open(ByteView section, std::size_t offset,
                                                  std::uint32_t bound) {
  const auto refuse = [offset](std::string_view why) {
    return std::unexpected(Invalid{why, offset});
  };
  NameIndex out;
  SectionReader in(section);
  out.seed_ = in.u64();
  out.label_counts_ = in.u64();
  out.bucket_count_ = in.u32();
  out.name_count_ = in.u32();
  out.probe_count_ = in.u32();
  const std::uint32_t nested = in.u32();
  const std::uint32_t list_words = in.u32();
  const std::uint32_t pool_size = in.u32();
  if (out.bucket_count_ == 0 || out.bucket_count_ > kMaxBlock_bytes / kSlots ||
      out.probe_count_ == 0 || out.probe_count_ > kMaxProbe)
    return refuse("name index: impossible counts");
  out.fingerprints_ = in.array(out.bucket_count_, kSlots).data();
  out.records_ = in.words(out.bucket_count_);
  out.nested_ = Words(in.array(nested, 8));
  out.lists_ = in.words(list_words);
  out.pool_ = in.array(pool_size, 1);
  if (!in.complete()) return refuse("name index: arrays do not fill the section");
  const auto lists = ListStarts::check(out.lists_, bound, kRelationBits);
  if (!lists) return refuse("name index: a list is out of order");

  std::uint32_t used = 0;
  for (std::uint32_t b = 0; b < out.bucket_count_; ++b)
    if (const char* wrong = out.check_bucket(b, used)) return refuse(wrong);
  if (used != pool_size) return refuse("name index: bytes between the names");
  std::uint32_t names = 0;
  for (std::uint32_t slot = 0; slot < out.bucket_count_ * kSlots; ++slot) {
    if (out.fingerprints_[slot] == std::byte{0}) continue;
    ++names;
    const char* wrong = out.check_slot(slot);
    if (wrong == nullptr) wrong = out.check_reference(slot, bound, *lists);
    if (wrong != nullptr) return refuse(wrong);
  }
  return names == out.name_count_ ? std::expected<NameIndex, Invalid>(out)
                                  : refuse("name index: another number of names");
}

/// Records follow each other in the pool; the names of a bucket take its first slots.
const char* NameIndex::check_bucket(std::uint32_t index, std::uint32_t& used) const {
  constexpr const char* kOutside = "name index: a record outside the pool";
  if (records_[index] != used) return "name index: a record is out of place";
  if (pool_.size() - used < kSizes_bytes) return kOutside;
  std::size_t size = kSizes_bytes;
  bool ended = false;
  for (std::uint32_t lane = 0; lane < kSlots; ++lane) {
    const auto of_name = std::to_integer<std::size_t>(pool_[used + lane]);
    const bool taken = fingerprints_[index * kSlots + lane] != std::byte{0};
    if (taken != (of_name != 0)) return "name index: a free slot with a name";
    if (taken && ended) return "name index: a name behind a free slot";
    ended = !taken;
    if (taken) size += 4 + of_name;
  }
  if (size > pool_.size() - used) return kOutside;
  used += static_cast<std::uint32_t>(size);
  return nullptr;
}

/// The name is in normal form, and probing for it ends in this very slot.
const char* NameIndex::check_slot(std::uint32_t slot) const {
  const std::string_view name = name_at(slot);
  if (!is_normal_name(name)) return "name index: a name that is not in normal form";
  const SuffixHashes hashes(name, seed_);
  if ((label_counts_ & label_bit(hashes.count)) == 0)
    return "name index: a name with an unlisted number of labels";
  const std::uint64_t hash = hashes.hash[hashes.count - 1];
  if (std::to_integer<std::uint8_t>(fingerprints_[slot]) != fingerprint(hash))
    return "name index: a wrong fingerprint";
  std::uint32_t at = home_bucket(hash, bucket_count_);
  for (std::uint32_t step = 0; step < probe_count_; ++step) {
    if (at == slot / kSlots) return nullptr;
    const auto* const prints = fingerprints_ + static_cast<std::size_t>(at) * kSlots;
    if (std::find(prints, prints + kSlots, std::byte{0}) != prints + kSlots) break;
    at = at + 1 == bucket_count_ ? 0 : at + 1;
  }
  return "name index: a name that cannot be found";
}

const char* NameIndex::check_reference(std::uint32_t slot, std::uint32_t bound,
                                       const ListStarts& lists) {
  const std::uint32_t ref = reference(slot);
  if ((ref & (kListBit | kNestedBit)) != kNestedBit) return check_plain(ref, bound, lists);
  const std::uint32_t record = ref & ~kNestedBit;
  if (record >= nested_.size() / 2) return "name index: a nested record out of bounds";
  const std::size_t at = 2 * static_cast<std::size_t>(record);
  if (const char* wrong = check_plain(nested_[at + 1], bound, lists)) return wrong;
  return check_outer(slot, nested_[at]);
}

const char* NameIndex::check_plain(std::uint32_t ref, std::uint32_t bound,
                                   const ListStarts& lists) {
  if ((ref & kListBit) != 0) {
    const std::uint32_t list = ref & ~kListBit;
    if (!lists.is_list(list)) return "name index: a list out of bounds";
    first_ref_ = std::min(first_ref_, lists_[list + 1] >> kRelationBits);
    return nullptr;
  }
  if ((ref >> kRelationBits) >= bound) return "name index: a ref past the last";
  if ((ref & 7U) == 0) return "name index: a ref that holds for no name";
  first_ref_ = std::min(first_ref_, ref >> kRelationBits);
  return nullptr;
}

/// The outer name is a proper suffix at a dot, so chains end.
const char* NameIndex::check_outer(std::uint32_t slot, std::uint32_t word) const {
  const std::uint32_t outer = word & ~kParentBit;
  if (outer >= bucket_count_ * kSlots || fingerprints_[outer] == std::byte{0})
    return "name index: an outer name that does not exist";
  const std::string_view name = name_at(slot);
  const std::string_view shorter = name_at(outer);
  if (shorter.size() + 1 >= name.size() || !name.ends_with(shorter) ||
      name[name.size() - shorter.size() - 1] != '.')
    return "name index: an outer name that is no suffix";
  const bool parent = name.find('.') == name.size() - shorter.size() - 1;
  return parent == ((word & kParentBit) != 0) ? nullptr
                                              : "name index: an outer name at another distance";
}

}  // namespace sluice::ruleset
