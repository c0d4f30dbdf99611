#include "controlplane/dns/pool/fake_pool.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace sluice::dns {
namespace {

/// The network's own address, the router's and the next two are never handed out (features.md
/// section 7: "sequential from the 4th address").
constexpr std::uint32_t kFirst = 4;
/// Larger ranges (v6) are used up to here.
constexpr std::uint32_t kMaxOffset = 0x7fffffff;

std::uint32_t last_offset(const Prefix& range) noexcept {
  const unsigned bits = (range.base.is_v4() ? 32U : 128U) - range.length;
  if (!range.base.valid() || bits < 3) return 0;
  // The last address is a v4 broadcast address.
  return bits > 31 ? kMaxOffset : (std::uint32_t{1} << bits) - 2;
}

/// base + offset; carries never leave the range because its host bits are zero.
IpAddress plus(const IpAddress& base, std::uint32_t offset) noexcept {
  if (base.is_v4()) return IpAddress::v4(base.v4_value() + offset);
  std::array<std::byte, 16> bytes{};
  std::memcpy(bytes.data(), base.bytes().data(), bytes.size());
  for (std::size_t i = 0; i < 4; ++i)
    bytes[12 + i] |= static_cast<std::byte>(offset >> (24 - 8 * i));
  return IpAddress::from_bytes(bytes);
}

/// The distance from base, or 0 (which is never handed out) when it does not fit.
std::uint32_t minus(const IpAddress& address, const IpAddress& base) noexcept {
  if (base.is_v4()) return address.v4_value() - base.v4_value();
  const ByteView a = address.bytes();
  const ByteView b = base.bytes();
  if (!std::ranges::equal(a.first(12), b.first(12))) return 0;
  const std::uint32_t offset = Reader{a.last(4)}.u32be() & ~Reader{b.last(4)}.u32be();
  return offset <= kMaxOffset ? offset : 0;
}

}  // namespace

FakePool::FakePool(const Prefix& range, std::size_t max_count)
    : range_(range), last_(last_offset(range)), next_(kFirst) {
  const std::size_t usable = last_ >= kFirst ? last_ - kFirst + std::size_t{1} : 0;
  max_count_ = std::min(max_count, usable);
}

std::uint32_t FakePool::after(std::uint32_t offset) const noexcept {
  return offset >= last_ ? kFirst : offset + 1;
}

IpAddress FakePool::address_of(const Entry& entry) const noexcept {
  return plus(range_.base, entry.offset);
}

void FakePool::insert(std::string_view name, std::uint32_t offset) {
  const Position position =
      entries_.insert(entries_.end(), Entry{.name = std::string(name), .offset = offset});
  by_name_.emplace(position->name, position);
  by_offset_.emplace(offset, position);
}

IpAddress FakePool::evict_oldest() {
  const Position oldest = entries_.begin();
  const IpAddress address = address_of(*oldest);
  by_name_.erase(oldest->name);
  by_offset_.erase(oldest->offset);
  entries_.erase(oldest);
  return address;
}

Result<FakePool::Reserved> FakePool::reserve(std::string_view name) {
  if (const auto hit = by_name_.find(name); hit != by_name_.end()) {
    const Position entry = hit->second;
    entries_.splice(entries_.end(), entries_, entry);
    return Reserved{address_of(*entry), entry->acknowledged, false, std::nullopt};
  }
  if (max_count_ == 0) return fail(Errc::no_room);
  Reserved out;
  out.fresh = true;
  if (entries_.size() >= max_count_) out.evicted = evict_oldest();
  // Names that are asked again and again keep addresses that the offset comes by: step over them.
  // A free one exists, because fewer than max_count_ names are in.
  while (by_offset_.contains(next_)) next_ = after(next_);
  insert(name, next_);
  next_ = after(next_);
  out.address = address_of(entries_.back());
  return out;
}

FakePool::Entry* FakePool::find(std::string_view name) noexcept {
  const auto hit = by_name_.find(name);
  return hit == by_name_.end() ? nullptr : &*hit->second;
}

const FakePool::Entry* FakePool::at(const IpAddress& address) const noexcept {
  if (!contains(address)) return nullptr;
  const auto hit = by_offset_.find(minus(address, range_.base));
  return hit == by_offset_.end() ? nullptr : &*hit->second;
}

FakePool::Entry* FakePool::at(const IpAddress& address) noexcept {
  return const_cast<Entry*>(std::as_const(*this).at(address));
}

void FakePool::acknowledge(std::string_view name, const IpAddress& address) noexcept {
  Entry* entry = find(name);
  if (entry != nullptr && address_of(*entry) == address) entry->acknowledged = true;
}

void FakePool::acknowledge_all() noexcept {
  for (Entry& entry : entries_) entry.acknowledged = true;
}

Status FakePool::restore(std::string_view name, const IpAddress& address) {
  if (!contains(address)) return fail(Errc::invalid);
  const std::uint32_t offset = minus(address, range_.base);
  if (offset < kFirst || offset > last_) return fail(Errc::invalid);
  if (by_name_.contains(name) || by_offset_.contains(offset)) return fail(Errc::exists);
  if (entries_.size() >= max_count_) return fail(Errc::no_room);
  insert(name, offset);
  return {};
}

void FakePool::set_next(std::uint32_t offset) noexcept {
  next_ = offset >= kFirst && offset <= last_ ? offset : kFirst;
}

void FakePool::clear() noexcept {
  by_name_.clear();
  by_offset_.clear();
  entries_.clear();
}

}  // namespace sluice::dns
