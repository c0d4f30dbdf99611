// Places names into the hash table; the layout is drawn in name_index.h.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "proto/common/hash.h"
#include "proto/ruleset/bounds.h"
#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/name_places.h"
#include "proto/ruleset/section_writer.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint64_t kSeed = 0x736c756963650002ULL;
/// Seeds to try: one does unless names were made to collide.
constexpr std::uint64_t kSeeds = 8;
constexpr std::uint32_t kSlots = NameIndex::kSlots;

/// One name of the list, with its records.
struct Name {
  std::string_view text;
  std::uint64_t hash;
  std::uint32_t first, last;  // its records in the sorted order
  std::uint32_t slot = kNone;
};

struct Hashed {
  std::uint64_t hash;
  std::uint32_t record;
};

/// Every text has its part in it: who writes one list cannot know it, nor aim names at one bucket.
std::uint64_t digest_of(const std::vector<TextRecord>& records) {
  std::uint64_t out = kSeed;
  for (const TextRecord& record : records) out = hash_bytes(as_byte_view(record.text), out);
  return out;
}

class NameWriter {
 public:
  NameWriter(const std::vector<TextRecord>& records, const RefTable& refs, LeftOut& left_out)
      : refs_(refs) {
    const std::uint64_t digest = digest_of(records);
    std::optional<NamePlaces> places;
    for (std::uint64_t i = 0; i < kSeeds && !places; ++i) {
      seed_ = mix64(digest, i);
      find_names(records);
      places = place_names(hashes_of_names());
    }
    if (!places) places = place_most_names(hashes_of_names());
    take(std::move(*places), left_out);
  }

  [[nodiscard]] std::uint64_t text_bytes() const {
    std::uint64_t out = 0;
    for (const Name& name : names_) out += name.text.size();
    return out;
  }

  [[nodiscard]] SectionBytes write() {
    std::vector<std::uint32_t> references(slots_.size());
    std::size_t pool_size = static_cast<std::size_t>(bucket_count_) * NameIndex::kSizes_bytes;
    for (const Name& name : names_) {
      references[name.slot] = reference(name);
      pool_size += 4 + name.text.size();
    }
    SectionWriter out;
    out.reserve(48 + slots_.size() * 2 + pool_size);
    out.u64(seed_);
    out.u64(label_counts_);
    out.u32(bucket_count_);
    out.u32(static_cast<std::uint32_t>(names_.size()));
    out.u32(probes_);
    out.u32(static_cast<std::uint32_t>(nested_.size() / 2));
    out.u32(static_cast<std::uint32_t>(lists_.words().size()));
    out.u32(static_cast<std::uint32_t>(pool_size));
    out.text({reinterpret_cast<const char*>(prints_.data()), prints_.size()});
    write_record_places(out);
    out.words(nested_);
    out.words(lists_.words());
    for (std::uint32_t bucket = 0; bucket < bucket_count_; ++bucket)
      write_record(out, bucket * kSlots, references);
    return {std::move(out).take(), smallest_};
  }

 private:
  /// By hash, then text, so that equal names are neighbours and the order is always the same.
  void find_names(const std::vector<TextRecord>& records) {
    std::vector<Hashed> order(records.size());
    label_counts_ = 0;
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      const SuffixHashes hashes(records[i].text, seed_);
      order[i] = {hashes.hash[hashes.count - 1], i};
      label_counts_ |= label_bit(hashes.count);
    }
    std::ranges::sort(order, [&records](const Hashed& a, const Hashed& b) {
      if (a.hash != b.hash) return a.hash < b.hash;
      const int text = records[a.record].text.compare(records[b.record].text);
      return text != 0 ? text < 0 : a.record < b.record;
    });
    records_.clear();
    names_.clear();
    records_.reserve(records.size());
    for (const Hashed& one : order) {
      const auto at = static_cast<std::uint32_t>(records_.size());
      records_.push_back(records[one.record]);
      if (names_.empty() || names_.back().text != records_[at].text)
        names_.push_back({records_[at].text, one.hash, at, at});
      names_.back().last = at + 1;
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> hashes_of_names() const {
    std::vector<std::uint64_t> out;
    out.reserve(names_.size());
    for (const Name& name : names_) out.push_back(name.hash);
    return out;
  }

  /// Names without a slot go.
  void take(NamePlaces places, LeftOut& left_out) {
    bucket_count_ = places.bucket_count;
    probes_ = places.probes;
    prints_ = std::move(places.prints);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      names_[i].slot = places.slots[i];
      if (places.slots[i] == kNone)
        left_out.add(names_[i].text, names_[i].last - names_[i].first);
      else
        names_[kept++] = names_[i];
    }
    names_.resize(kept);
    slots_.assign(prints_.size(), kNone);
    for (std::uint32_t i = 0; i < names_.size(); ++i) slots_[names_[i].slot] = i;
  }

  /// The name in the table with this hash and text; kNone when there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, std::string_view text) const {
    std::uint32_t bucket = home_bucket(hash, bucket_count_);
    for (std::uint32_t step = 0; step < probes_; ++step) {
      for (std::uint32_t lane = 0; lane < kSlots; ++lane) {
        const std::uint32_t slot = bucket * kSlots + lane;
        if (prints_[slot] == 0) return kNone;
        if (prints_[slot] != fingerprint(hash)) continue;
        if (names_[slots_[slot]].text == text) return slots_[slot];
      }
      bucket = bucket + 1 == bucket_count_ ? 0 : bucket + 1;
    }
    return kNone;
  }

  [[nodiscard]] bool reaches_below(const Name& name) const {
    for (std::uint32_t i = name.first; i < name.last; ++i)
      if ((records_[i].relations & (kChild | kDeeper)) != 0) return true;
    return false;
  }

  /// First word of a nested record: the next shorter suffix that reaches below itself.
  [[nodiscard]] std::uint32_t outer_word(const Name& name) const {
    const SuffixHashes hashes(name.text, seed_);
    for (std::uint32_t i = hashes.count - 1; i > 0; --i) {
      if ((label_counts_ & label_bit(i)) == 0) continue;
      const std::uint32_t outer = find(hashes.hash[i - 1], name.text.substr(hashes.start[i - 1]));
      if (outer == kNone || !reaches_below(names_[outer])) continue;
      return names_[outer].slot | (i + 1 == hashes.count ? NameIndex::kParentBit : 0);
    }
    return kNone;
  }

  std::uint32_t reference(const Name& name) {
    const std::uint32_t plain = plain_reference(name);
    const std::uint32_t outer = outer_word(name);
    if (outer == kNone) return plain;
    const auto number = static_cast<std::uint32_t>(nested_.size() / 2);
    nested_.push_back(outer);
    nested_.push_back(plain);
    return number | NameIndex::kNestedBit;
  }

  std::uint32_t plain_reference(const Name& name) {
    const TextRecord& only = records_[name.first];
    const bool single = name.last - name.first == 1;
    const std::uint64_t cached = static_cast<std::uint64_t>(only.source) << 8U | only.relations;
    if (single)
      if (const auto found = by_source_.find(cached); found != by_source_.end())
        return found->second;
    words_.clear();
    for (std::uint32_t i = name.first; i < name.last; ++i)
      for (const std::uint32_t ref : refs_.refs(records_[i].source))
        words_.push_back(ref << kRelationBits | records_[i].relations);
    std::ranges::sort(words_);
    // One word per ref, with the relations of all.
    std::size_t used = 0;
    for (const std::uint32_t word : words_) {
      if (used > 0 && words_[used - 1] >> kRelationBits == word >> kRelationBits)
        words_[used - 1] |= word;
      else
        words_[used++] = word;
    }
    words_.resize(used);
    smallest_ = std::min(smallest_, words_.front() >> kRelationBits);
    const std::uint32_t out = used == 1 ? words_.front() : lists_.add(words_) | NameIndex::kListBit;
    if (single && (only.source & RefTable::kSetBit) != 0) by_source_.emplace(cached, out);
    return out;
  }

  [[nodiscard]] std::size_t size_at(std::uint32_t slot) const {
    return slots_[slot] == kNone ? 0 : names_[slots_[slot]].text.size();
  }

  void write_record_places(SectionWriter& out) const {
    std::size_t at = 0;
    for (std::uint32_t bucket = 0; bucket < bucket_count_; ++bucket) {
      out.u32(static_cast<std::uint32_t>(at));
      at += NameIndex::kSizes_bytes;
      for (std::uint32_t slot = bucket * kSlots; slot < (bucket + 1) * kSlots; ++slot)
        if (slots_[slot] != kNone) at += 4 + size_at(slot);
    }
  }

  void write_record(SectionWriter& out, std::uint32_t first,
                    const std::vector<std::uint32_t>& references) const {
    const std::uint32_t last = first + kSlots;
    for (std::uint32_t slot = first; slot < last; ++slot)
      out.u8(static_cast<std::uint8_t>(size_at(slot)));
    for (std::uint32_t slot = first; slot < last; ++slot)
      if (slots_[slot] != kNone) out.u32(references[slot]);
    for (std::uint32_t slot = first; slot < last; ++slot)
      if (slots_[slot] != kNone) out.text(names_[slots_[slot]].text);
  }

  const RefTable& refs_;
  std::vector<TextRecord> records_;
  std::vector<Name> names_;
  std::uint64_t seed_ = 0;
  std::uint64_t label_counts_ = 0;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t probes_ = 0;
  std::vector<std::uint8_t> prints_;
  std::vector<std::uint32_t> slots_;  // name of each slot
  std::vector<std::uint32_t> nested_;
  ListPool lists_;
  std::vector<std::uint32_t> words_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_source_;
  std::uint32_t smallest_ = kNone;
};

}  // namespace

Result<SectionBytes> write_names(const std::vector<TextRecord>& records, const RefTable& refs,
                                 LeftOut& left_out) {
  if (records.empty()) return SectionBytes{};
  NameWriter names(records, refs, left_out);
  if (names.text_bytes() > kMaxBlock_bytes) return fail(Errc::too_large);
  return names.write();
}

}  // namespace sluice::ruleset
