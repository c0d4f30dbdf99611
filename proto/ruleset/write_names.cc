// Places names into the hash table; the layout is drawn in name_index.h.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint64_t kSeed = 0x736c756963650001ULL;

struct Name {
  std::string_view text;
  std::vector<std::uint32_t> suffix;  // ascending positions
  std::vector<std::uint32_t> exact;
  std::uint64_t hash = 0;
  std::uint32_t slot = kNone;
};

/// One item per distinct name, in the order of the names. Views into `lines`.
std::vector<Name> group(std::vector<Builder::NameLine>& lines, std::uint64_t seed) {
  std::ranges::sort(lines, {}, [](const Builder::NameLine& line) {
    return std::tuple(std::string_view(line.name), line.position);
  });
  std::vector<Name> names;
  for (const Builder::NameLine& line : lines) {
    if (names.empty() || names.back().text != line.name) {
      names.push_back({line.name, {}, {}});
      const SuffixHashes hashes(line.name, seed);
      names.back().hash = hashes.hash[hashes.count - 1];
    }
    (line.exact ? names.back().exact : names.back().suffix).push_back(line.position);
  }
  return names;
}

/// Gives every name a slot. Returns the most buckets that finding one touches; 0 when that would
/// pass kMaxProbe.
std::uint32_t place(std::vector<Name>& names, std::uint32_t bucket_count,
                    std::vector<std::uint8_t>& prints) {
  prints.assign(static_cast<std::size_t>(bucket_count) * NameIndex::kSlots, 0);
  std::uint32_t longest = 1;
  for (Name& name : names) {
    std::uint32_t bucket = home_bucket(name.hash, bucket_count);
    for (std::uint32_t step = 1;; ++step) {
      if (step > kMaxProbe || step > bucket_count) return 0;
      const auto first = prints.begin() + bucket * NameIndex::kSlots;
      const auto free = std::find(first, first + NameIndex::kSlots, 0);
      if (free != first + NameIndex::kSlots) {
        *free = fingerprint(name.hash);
        name.slot = static_cast<std::uint32_t>(free - prints.begin());
        longest = std::max(longest, step);
        break;
      }
      bucket = bucket + 1 == bucket_count ? 0 : bucket + 1;
    }
  }
  return longest;
}

/// Slot + 1 of the next shorter suffix that has suffix lines; 0 when there is none.
std::uint32_t outer_slot(std::string_view name,
                         const std::unordered_map<std::string_view, const Name*>& suffixes) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return 0;
    name.remove_prefix(dot + 1);
    const auto found = suffixes.find(name);
    if (found != suffixes.end()) return found->second->slot + 1;
  }
}

class NameWriter {
 public:
  explicit NameWriter(const std::vector<Name>& names, std::uint32_t slot_count)
      : slots_(2 * static_cast<std::size_t>(slot_count)) {
    for (const Name& name : names)
      if (!name.suffix.empty()) suffixes_.emplace(name.text, &name);
    for (const Name& name : names) add(name);
  }
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  const std::vector<std::uint32_t>& lists() const { return lists_; }
  const std::string& pool() const { return pool_; }
  std::uint32_t smallest() const { return smallest_; }

 private:
  void add(const Name& name) {
    const std::size_t at = 2 * static_cast<std::size_t>(name.slot);
    slots_[at] = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back(static_cast<char>(name.text.size()));
    pool_ += name.text;
    slots_[at + 1] = reference(name);
    for (const auto* list : {&name.suffix, &name.exact})
      if (!list->empty()) smallest_ = std::min(smallest_, list->front());
  }
  std::uint32_t reference(const Name& name) {
    const std::uint32_t outer = outer_slot(name.text, suffixes_);
    if (outer == 0 && name.suffix.size() + name.exact.size() == 1)
      return name.exact.empty() ? name.suffix.front() : name.exact.front() | NameIndex::kExactBit;
    const auto at = static_cast<std::uint32_t>(lists_.size());
    lists_.push_back(outer);
    lists_.push_back(static_cast<std::uint32_t>(name.suffix.size()));
    lists_.push_back(static_cast<std::uint32_t>(name.exact.size()));
    lists_.insert(lists_.end(), name.suffix.begin(), name.suffix.end());
    lists_.insert(lists_.end(), name.exact.begin(), name.exact.end());
    return at | NameIndex::kListBit;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> lists_;
  std::string pool_;
  std::uint32_t smallest_ = kNone;
  std::unordered_map<std::string_view, const Name*> suffixes_;
};

}  // namespace

SectionBytes write_names(std::vector<Builder::NameLine> lines) {
  std::vector<Name> names = group(lines, kSeed);
  const auto name_count = static_cast<std::uint32_t>(names.size());
  // Three quarters full: 12 bytes a name besides its text.
  std::uint32_t bucket_count = name_count / 6 + 1;
  std::vector<std::uint8_t> prints;
  std::uint32_t probes = 0;
  while ((probes = place(names, bucket_count, prints)) == 0) bucket_count += bucket_count / 8 + 1;
  const NameWriter content(names, bucket_count * NameIndex::kSlots);

  SectionWriter out;
  out.u64(kSeed);
  out.u32(bucket_count);
  out.u32(name_count);
  out.u32(probes);
  out.u32(static_cast<std::uint32_t>(content.lists().size()));
  out.u32(static_cast<std::uint32_t>(content.pool().size()));
  out.u32(0);
  for (const std::uint8_t print : prints) out.u8(print);
  out.words(content.slots());
  out.words(content.lists());
  out.text(content.pool());
  return {std::move(out).take(), content.smallest()};
}

}  // namespace sluice::ruleset
