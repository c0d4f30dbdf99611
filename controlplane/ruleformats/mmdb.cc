#include "controlplane/ruleformats/mmdb.h"

#include <algorithm>

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kMarker = "\xab\xcd\xefMaxMind.com";
/// The metadata lies in the last 128 KiB, says the format.
constexpr std::size_t kMetadata_bytes = std::size_t{128} << 10;
/// For the five keys that are looked up in it.
constexpr std::uint64_t kMetadataValues = std::uint64_t{5} * kMaxRecordValues;
constexpr std::uint64_t kGap_bytes = 16;  // zeros between tree and data
constexpr std::uint64_t kMajorVersion = 2;
constexpr unsigned kV4Depth = 96;  // where IPv4 starts in an IPv6 tree

bool bit_of(ByteView bytes, unsigned index) noexcept {
  return ((std::to_integer<unsigned>(bytes[index / 8]) >> (7U - index % 8)) & 1U) != 0;
}

}  // namespace

bool Mmdb::read_metadata(const MmdbData& metadata) {
  const MmdbValue map = metadata.at(0);
  MmdbBudget budget(kMetadataValues);
  const auto number = [&](std::string_view key) {
    budget.begin_record();
    return metadata.number(metadata.member(map, key, budget)).value_or(0);
  };
  const std::uint64_t nodes = number("node_count");
  const std::uint64_t version = number("ip_version");
  node_count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes, UINT32_MAX));
  record_bits_ = static_cast<unsigned>(std::min<std::uint64_t>(number("record_size"), 255));
  bits_ = version == 4 ? 32 : 128;
  budget.begin_record();
  type_ = metadata.text(metadata.member(map, "database_type", budget));
  return number("binary_format_major_version") == kMajorVersion && (version == 4 || version == 6) &&
         (record_bits_ == 24 || record_bits_ == 28 || record_bits_ == 32);
}

Outcome<Mmdb> Mmdb::open(ByteView file, std::size_t max_bytes) {
  if (file.size() > max_bytes)
    return refuse(Errc::too_large, max_bytes, "is larger than a database may be");
  const std::size_t from = file.size() - std::min(file.size(), kMetadata_bytes);
  const std::size_t marker = as_text(file.subspan(from)).rfind(kMarker);
  if (marker == std::string_view::npos)
    return refuse(Errc::malformed, 0, "is not a MaxMind database");
  const std::size_t metadata = from + marker + kMarker.size();
  Mmdb out;
  if (!out.read_metadata(MmdbData(file.subspan(metadata))))
    return refuse(Errc::unsupported, metadata, "is a MaxMind database of an unknown form");
  const std::uint64_t tree_bytes = std::uint64_t{out.node_count_} * out.record_bits_ / 4;
  if (out.node_count_ == 0 || tree_bytes + kGap_bytes > from + marker)
    return refuse(Errc::malformed, metadata, "has a tree that is larger than the file");
  const auto tree_size = static_cast<std::size_t>(tree_bytes);
  out.tree_ = file.first(tree_size);
  out.data_ = MmdbData(file.first(from + marker).subspan(tree_size + kGap_bytes));
  return out;
}

std::uint32_t Mmdb::child(std::uint32_t node, bool right) const noexcept {
  const std::size_t node_bytes = record_bits_ / 4;
  Reader in(tree_.subspan(node * node_bytes, node_bytes));
  if (record_bits_ == 32) {
    if (right) in.skip(4);
    return in.u32be();
  }
  // Of 28 bits the middle byte holds the top four of both: left high, right low.
  const std::uint32_t left = in.u16be() << 8U | in.u8();
  const std::uint32_t top = record_bits_ == 28 ? in.u8() : 0;
  if (!right) return (top >> 4U) << 24U | left;
  const std::uint32_t low = in.u16be() << 8U | in.u8();
  return (top & 15U) << 24U | low;
}

std::uint32_t Mmdb::v4_root() const noexcept {
  std::uint32_t node = 0;
  for (unsigned depth = 0; bits_ == 128 && depth < kV4Depth && node < node_count_; ++depth)
    node = child(node, false);
  // A record above ::/96 is one of IPv6 prefixes, not of all of IPv4.
  return std::min(node, node_count_);
}

std::uint64_t Mmdb::data_offset(std::uint32_t number) const noexcept {
  return std::uint64_t{number} - node_count_ - kGap_bytes;
}

MmdbBudget Mmdb::walk_budget() const noexcept {
  return MmdbBudget(kWalkValues + kWalkValuesPerNode * node_count_);
}

MmdbValue Mmdb::find(const IpAddress& address) const noexcept {
  if (!address.valid() || (address.is_v6() && bits_ == 32)) return {};
  const ByteView bytes = address.bytes();
  std::uint32_t number = address.is_v4() ? v4_root() : 0;
  for (unsigned bit = 0; bit < bytes.size() * 8 && number < node_count_; ++bit)
    number = child(number, bit_of(bytes, bit));
  return number > node_count_ ? data_.at(data_offset(number)) : MmdbValue{};
}

MmdbNetworks::MmdbNetworks(const Mmdb& mmdb) noexcept
    : mmdb_(mmdb), v4_root_(mmdb.v4_root()), steps_left_(4 * std::uint64_t{mmdb.node_count_} + 2) {
  stack_[stack_size_++] = {0, 0, false};
}

bool MmdbNetworks::is_alias(const Step& step) const noexcept {
  if (mmdb_.bits_ != 128 || step.number != v4_root_ || v4_root_ >= mmdb_.node_count_) return false;
  const bool zeros = std::ranges::all_of(path_, [](std::byte b) { return b == std::byte{0}; });
  return step.depth != kV4Depth || !zeros;
}

Prefix MmdbNetworks::prefix_here(unsigned depth) const noexcept {
  // ::a.b.c.d is how these files write IPv4; ::ffff:a.b.c.d is IPv4 everywhere.
  const std::string_view head = as_text(path_).substr(0, 12);
  const bool v4 = head.substr(0, 10).find_first_not_of('\0') == std::string_view::npos &&
                  (head.ends_with(std::string_view("\0\0", 2)) || head.ends_with("\xff\xff"));
  if (v4 && mmdb_.bits_ == 128 && depth >= kV4Depth)
    return Prefix::of(IpAddress::from_bytes(ByteView(path_).subspan(12)), depth - kV4Depth);
  return Prefix::of(IpAddress::from_bytes(ByteView(path_).first(mmdb_.bits_ / 8)), depth);
}

/// Puts the bit of `step` into the path. False when the walk must end.
bool MmdbNetworks::visit(const Step& step) noexcept {
  if (steps_left_ == 0) {
    failed_ = true;
    return false;
  }
  --steps_left_;
  if (step.depth == 0) return true;
  const unsigned bit = step.depth - 1U;
  std::byte& byte = path_[bit / 8];
  const auto mask = static_cast<std::byte>(0x80U >> (bit % 8));
  // Below this bit the path still holds what an earlier branch left.
  byte &= static_cast<std::byte>(0xff00U >> (bit % 8));
  if (step.right) byte |= mask;
  std::fill(path_.begin() + bit / 8 + 1, path_.end(), std::byte{0});
  return true;
}

bool MmdbNetworks::next(Prefix& prefix, std::uint64_t& data_offset) noexcept {
  while (stack_size_ > 0 && !failed_) {
    const Step step = stack_[--stack_size_];
    if (!visit(step)) return false;
    if (step.number > mmdb_.node_count_) {
      prefix = prefix_here(step.depth);
      data_offset = mmdb_.data_offset(step.number);
      return true;
    }
    if (step.number == mmdb_.node_count_ || is_alias(step)) continue;
    if (step.depth == mmdb_.bits_) {
      failed_ = true;
      return false;
    }
    const auto below = static_cast<std::uint8_t>(step.depth + 1U);
    stack_[stack_size_++] = {mmdb_.child(step.number, true), below, true};
    stack_[stack_size_++] = {mmdb_.child(step.number, false), below, false};
  }
  return false;
}

}  // namespace sluice::ruleformats
