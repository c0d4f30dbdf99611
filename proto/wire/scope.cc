#include "proto/wire/scope.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "proto/wire/bounds.h"

namespace sluice::wire {
namespace {

constexpr std::array<std::byte, 12> kMappedHead{
    std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},    std::byte{0},
    std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0xff}, std::byte{0xff}};

/// Empty when `in` is an address as the contract sends it, else what is wrong.
std::string_view address_fault(ByteView in) noexcept {
  if (in.size() != 4 && in.size() != 16) return "is not an address of 4 or 16 bytes";
  if (in.size() == 16 && std::ranges::equal(in.first(12), kMappedHead))
    return "is an IPv4-mapped address; send its 4 bytes";
  return {};
}

void append_step(std::string& out, const char* field, std::int64_t index) {
  if (*field == '\0') return;
  if (!out.empty()) out += '.';
  out += field;
  if (index >= 0) out += '[' + std::to_string(index) + ']';
}

}  // namespace

void Scope::append(std::string& out) const {
  if (parent_ != nullptr) parent_->append(out);
  append_step(out, field_, index_);
}

void Scope::refuse(const char* field, std::string_view reason) const {
  if (refused()) return;
  std::string place;
  append(place);
  append_step(place, field, -1);
  found_->first = Refusal{std::move(place), std::string(reason)};
}

void Scope::refuse(const char* field, std::size_t index, std::string_view reason) const {
  Scope(*this, field, index).refuse("", reason);
}

std::string Scope::text(const std::string& in, const char* field, std::size_t max) const {
  if (in.size() > max) {
    refuse(field, "is longer than " + std::to_string(max) + " bytes");
    return {};
  }
  if (in.find('\0') != std::string::npos) refuse(field, "holds a NUL byte");
  return in;
}

std::string Scope::label(const std::string& in, const char* field, std::size_t max) const {
  if (in.empty()) refuse(field, "is empty");
  return text(in, field, max);
}

std::string Scope::device(const std::string& in, const char* field) const {
  const auto wrong = [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == '/' || c == 0x7f;
  };
  if (in.size() > kMaxDevice || std::ranges::any_of(in, wrong)) {
    refuse(field, "is not the name of a network device");
    return {};
  }
  return in;
}

std::string Scope::name(const std::string& in, const char* field) const {
  if (!in.empty() && !is_normal_name(in)) {
    refuse(field, "is not a name in normal form");
    return {};
  }
  return in;
}

std::uint16_t Scope::port(std::uint32_t in, const char* field) const {
  return static_cast<std::uint16_t>(number(in, field, 65535));
}

std::uint32_t Scope::number(std::uint32_t in, const char* field, std::uint32_t max) const {
  if (in <= max) return in;
  refuse(field, "is above " + std::to_string(max));
  return 0;
}

IpAddress Scope::address(const std::string& in, const char* field) const {
  const ByteView bytes = as_byte_view(in);
  const std::string_view fault = address_fault(bytes);
  if (fault.empty()) return IpAddress::from_bytes(bytes);
  refuse(field, fault);
  return {};
}

IpAddress Scope::maybe_address(const std::string& in, const char* field) const {
  return in.empty() ? IpAddress{} : address(in, field);
}

IpAddress Scope::address_item(const std::string& in, const char* field, std::size_t index) const {
  return Scope(*this, field, index).address(in, "");
}

Prefix Scope::prefix(const std::string& base, std::uint32_t length) const {
  const IpAddress ip = address(base, "base");
  if (length > ip.bytes().size() * 8) {
    refuse("length", "is longer than the address");
    return {};
  }
  const Prefix out = Prefix::of(ip, length);
  if (out.base != ip) refuse("base", "has bits beyond its length");
  return out;
}

contract::Digest Scope::digest(const std::string& in, const char* field) const {
  contract::Digest out{};
  if (in.size() == out.size())
    std::memcpy(out.data(), in.data(), out.size());
  else
    refuse(field, "is not a digest of 32 bytes");
  return out;
}

bool Scope::fits(std::size_t count, const char* field, std::size_t max) const {
  if (count <= max) return true;
  refuse(field, "has more than " + std::to_string(max) + " items");
  return false;
}

}  // namespace sluice::wire
