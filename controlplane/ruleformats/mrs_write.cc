#include <algorithm>
#include <string>

#include "controlplane/ruleformats/address_range.h"
#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/unpack.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kHead_bytes = 4 + 1 + 8 + 8 + 1;

/// Room for all that follows, written front to back.
class Body {
 public:
  explicit Body(std::size_t size) : bytes_(size), out_(bytes_) {}

  void head(Behavior behavior, std::uint64_t count) {
    out_.text({"MRS\x01", 4});
    out_.u8(static_cast<std::uint8_t>(behavior));
    out_.u64be(count);
    out_.u64be(0);
    out_.u8(1);
  }
  void words(const std::vector<std::uint64_t>& words) {
    out_.u64be(words.size());
    for (const std::uint64_t word : words) out_.u64be(word);
  }
  Writer& out() noexcept { return out_; }
  [[nodiscard]] ByteView written() const noexcept { return out_.written(); }

 private:
  std::vector<std::byte> bytes_;
  Writer out_;
};

Result<std::vector<std::byte>> pack_names(std::uint64_t count, NameTrieBuilder& names) {
  const NameTrieBuilder::Parts parts = names.finish();
  Body body(kHead_bytes + 24 + 8 * (parts.leaves.size() + parts.bitmap.size()) +
            parts.labels.size());
  body.head(Behavior::domain, count);
  body.words(parts.leaves);
  body.words(parts.bitmap);
  body.out().u64be(parts.labels.size());
  body.out().bytes(parts.labels);
  return pack_zstd(body.written());
}

Result<std::vector<std::byte>> pack_prefixes(std::uint64_t count,
                                             const std::vector<Prefix>& prefixes) {
  const std::vector<AddressRange> ranges = merge(prefixes);
  Body body(kHead_bytes + 8 + 32 * ranges.size());
  body.head(Behavior::ipcidr, count);
  body.out().u64be(ranges.size());
  for (const AddressRange& range : ranges) {
    body.out().bytes(range.first.mapped());
    body.out().bytes(range.last.mapped());
  }
  return pack_zstd(body.written());
}

}  // namespace

void MrsWriter::name(const NameEntry& entry) {
  if (behavior_ != Behavior::domain || entry.kind > NameKind::below || is_exception(entry.weight)) {
    faults_.fault({entry.place, entry.text, "has no form in this mrs file"});
    return;
  }
  if (entry.kind != NameKind::below) names_.add(entry.text);
  if (entry.kind != NameKind::exact) names_.add("+." + std::string(entry.text));
  ++count_;
}

void MrsWriter::prefix(const Prefix& prefix, const Place& place) {
  if (behavior_ != Behavior::ipcidr) {
    faults_.fault({place, prefix.to_string(), "has no form in this mrs file"});
    return;
  }
  prefixes_.push_back(prefix);
  ++count_;
}

void MrsWriter::line(std::string_view rule, const Place& place) {
  faults_.fault({place, rule, "has no form in this mrs file"});
}

Result<std::vector<std::byte>> MrsWriter::finish() {
  if (count_ == 0) return fail(Errc::invalid);
  if (behavior_ == Behavior::domain) return pack_names(count_, names_);
  return pack_prefixes(count_, prefixes_);
}

}  // namespace sluice::ruleformats
