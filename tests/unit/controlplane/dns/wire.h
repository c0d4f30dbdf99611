// Bytes of DNS messages for tests, written independently of the code under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/cursor.h"

namespace sluice::dns::test {

using Bytes = std::vector<std::byte>;

inline Bytes from_hex(std::string_view text) {
  Bytes out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string digits;
  for (const char c : text)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(digits[i]) << 4 | digit(digits[i + 1])));
  return out;
}

inline void put16(Bytes& out, unsigned value) {
  out.push_back(static_cast<std::byte>(value >> 8));
  out.push_back(static_cast<std::byte>(value & 0xff));
}
inline void put32(Bytes& out, std::uint32_t value) {
  put16(out, value >> 16);
  put16(out, value & 0xffff);
}

/// "a.test" as labels with the root label.
inline Bytes labels(std::string_view name) {
  Bytes out;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    out.push_back(static_cast<std::byte>(label.size()));
    for (const char c : label) out.push_back(static_cast<std::byte>(c));
    name.remove_prefix(std::min(name.size(), label.size() + 1));
  }
  out.push_back(std::byte{0});
  return out;
}

inline void append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

struct Flags {
  static constexpr unsigned kQuery = 0x0100;     // RD
  static constexpr unsigned kResponse = 0x8180;  // QR RD RA
};

/// Header and one question of class IN.
inline Bytes message(unsigned id, unsigned flags, std::string_view name, unsigned type,
                     std::initializer_list<unsigned> counts = {0, 0, 0}) {
  Bytes out;
  put16(out, id);
  put16(out, flags);
  put16(out, 1);
  for (const unsigned count : counts) put16(out, count);
  append(out, labels(name));
  put16(out, type);
  put16(out, 1);
  return out;
}

inline Bytes record(const Bytes& owner, unsigned type, std::uint32_t ttl, const Bytes& data) {
  Bytes out = owner;
  put16(out, type);
  put16(out, 1);
  put32(out, ttl);
  put16(out, static_cast<unsigned>(data.size()));
  append(out, data);
  return out;
}

inline Bytes opt(unsigned udp_size, std::uint32_t flags = 0) {
  Bytes out = {std::byte{0}};
  put16(out, 41);
  put16(out, udp_size);
  put32(out, flags);
  put16(out, 0);
  return out;
}

}  // namespace sluice::dns::test
