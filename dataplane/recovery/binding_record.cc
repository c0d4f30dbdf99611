#include "dataplane/recovery/binding_record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataplane/recovery/bounds.h"
#include "proto/common/name.h"
#include "proto/contract/digest.h"

namespace sluice::recovery {
namespace {

constexpr std::size_t kHead = 12;  // size and check
constexpr std::size_t kCheck = 8;
// The smallest forms bound the counts, so a hostile count never makes memory.
constexpr std::size_t kLeastAddress = 5;
constexpr std::size_t kLeastBinding = kLeastAddress + 4;

template <class Number>
void put(std::vector<std::byte>& out, Number value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> shift));
}

void put(std::vector<std::byte>& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put(std::vector<std::byte>& out, const IpAddress& address) {
  put(out, static_cast<std::uint8_t>(address.bytes().size()));
  put(out, address.bytes());
}

IpAddress take_address(Reader& in, bool& ok) {
  const IpAddress out = IpAddress::from_bytes(in.take(in.u8()));
  ok = ok && out.valid();
  return out;
}

contract::Binding take_binding(Reader& in, bool& ok) {
  contract::Binding out;
  out.address = take_address(in, ok);
  out.fake = in.u8() != 0;
  out.name = std::string(as_text(in.take(in.u8())));
  ok = ok && is_normal_name(out.name);
  const std::size_t count = in.u8();
  for (std::size_t i = 0; i < count && ok; ++i) out.last_good.push_back(take_address(in, ok));
  return out;
}

Result<contract::BindingBatch> decode_payload(ByteView payload) {
  Reader in{payload};
  contract::BindingBatch out;
  bool ok = true;
  out.number = in.u64be();
  out.replace = in.u8() != 0;
  const std::size_t removed = in.u32be();
  if (removed > in.left() / kLeastAddress) return fail(Errc::malformed);
  out.remove.reserve(removed);
  for (std::size_t i = 0; i < removed && ok; ++i) out.remove.push_back(take_address(in, ok));
  const std::size_t added = in.u32be();
  if (added > in.left() / kLeastBinding) return fail(Errc::malformed);
  out.add.reserve(added);
  for (std::size_t i = 0; i < added && ok; ++i) out.add.push_back(take_binding(in, ok));
  if (!ok || in.short_read() || in.left() != 0) return fail(Errc::malformed);
  return out;
}

}  // namespace

void BindingTable::apply(contract::BindingBatch batch) {
  if (batch.replace) bindings_.clear();
  for (const IpAddress& address : batch.remove) bindings_.erase(address);
  for (contract::Binding& binding : batch.add) {
    const IpAddress address = binding.address;
    bindings_.insert_or_assign(address, std::move(binding));
  }
  last_number_ = batch.number;
}

contract::BindingBatch BindingTable::as_batch() const {
  contract::BindingBatch out;
  out.number = last_number_;
  out.replace = true;
  out.add.reserve(bindings_.size());
  for (const auto& [address, binding] : bindings_) out.add.push_back(binding);
  return out;
}

void append_record(std::vector<std::byte>& out, const contract::BindingBatch& batch) {
  const std::size_t start = out.size();
  out.resize(start + kHead);
  put(out, batch.number);
  put(out, static_cast<std::uint8_t>(batch.replace));
  put(out, static_cast<std::uint32_t>(batch.remove.size()));
  for (const IpAddress& address : batch.remove) put(out, address);
  put(out, static_cast<std::uint32_t>(batch.add.size()));
  for (const contract::Binding& binding : batch.add) {
    put(out, binding.address);
    put(out, static_cast<std::uint8_t>(binding.fake));
    put(out, static_cast<std::uint8_t>(binding.name.size()));
    put(out, as_byte_view(binding.name));
    const std::size_t count = std::min<std::size_t>(binding.last_good.size(), 255);
    put(out, static_cast<std::uint8_t>(count));
    for (std::size_t i = 0; i < count; ++i) put(out, binding.last_good[i]);
  }
  const ByteView payload = ByteView(out).subspan(start + kHead);
  const contract::Digest check = contract::digest_of(payload);
  Writer head{ByteSpan(out).subspan(start, kHead)};
  head.u32be(static_cast<std::uint32_t>(payload.size()));
  head.bytes(ByteView(check).first(kCheck));
}

Result<contract::BindingBatch> take_record(ByteView& in) {
  Reader head{in};
  const std::uint32_t size = head.u32be();
  const ByteView check = head.take(kCheck);
  if (head.short_read()) return fail(Errc::truncated);
  if (size > kMaxRecord) return fail(Errc::malformed);
  const ByteView payload = head.take(size);
  if (head.short_read()) return fail(Errc::truncated);
  const contract::Digest found = contract::digest_of(payload);
  if (!std::ranges::equal(check, ByteView(found).first(kCheck))) return fail(Errc::malformed);
  auto batch = decode_payload(payload);
  if (batch) in = head.rest();
  return batch;
}

}  // namespace sluice::recovery
