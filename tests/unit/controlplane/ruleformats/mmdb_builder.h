// A small writer of MaxMind databases for tests: prefixes to records, any record size, and links
// that no good writer would make.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {

class MmdbBuilder {
 public:
  MmdbBuilder(unsigned ip_version, unsigned record_bits, std::string type)
      : bits_(ip_version == 4 ? 32 : 128), record_bits_(record_bits), type_(std::move(type)) {}

  static std::string text(const std::string& value) {
    return std::string(1, static_cast<char>(0x40U + value.size())) + value;
  }
  static std::string u32(std::uint32_t value) {
    std::string out(1, '\xc4');
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
    return out;
  }
  static std::string map(const std::string& key, const std::string& value) {
    return "\xe1" + text(key) + value;
  }

  /// Appends to the data section; its place there.
  std::uint32_t data(const std::string& value) {
    data_ += value;
    return static_cast<std::uint32_t>(data_.size() - value.size());
  }
  /// Leads `prefix` (IPv4 below ::/96) to the record at `place`.
  void add(std::string_view prefix, std::uint32_t place) {
    link(prefix) = static_cast<std::int64_t>(kData + place);
  }
  /// Leads `prefix` to the node that `target` leads to.
  void alias(std::string_view prefix, std::string_view target) {
    const std::int64_t node = link(target);
    link(prefix) = node;
  }
  /// Leads `prefix` to a node by its number.
  void loop(std::string_view prefix, std::int64_t node) { link(prefix) = node; }

  [[nodiscard]] std::string finish() const {
    std::string out;
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    for (const auto& node : nodes_) put_node(number(node[0], count), number(node[1], count), out);
    return out + std::string(16, '\0') + data_ + "\xab\xcd\xefMaxMind.com" + "\xe5" +
           text("node_count") + u32(count) + text("record_size") + std::string("\xa1", 1) +
           static_cast<char>(record_bits_) + text("ip_version") + std::string("\xa1", 1) +
           (bits_ == 32 ? '\x04' : '\x06') + text("database_type") + text(type_) +
           text("binary_format_major_version") + std::string("\xa1\x02", 2);
  }

 private:
  static constexpr std::int64_t kNothing = -1;
  static constexpr std::int64_t kData = std::int64_t{1} << 40;

  std::int64_t& link(std::string_view text) {
    const Prefix prefix = *Prefix::parse(text);
    const unsigned skip = prefix.base.is_v4() && bits_ == 128 ? 96 : 0;
    std::size_t node = 0;
    for (unsigned depth = 0;; ++depth) {
      const ByteView bytes = prefix.base.bytes();
      const unsigned at = depth - skip;
      const bool bit =
          depth >= skip && ((static_cast<unsigned>(bytes[at / 8]) >> (7 - at % 8)) & 1U) != 0;
      if (depth + 1 == prefix.length + skip) return nodes_[node][bit ? 1 : 0];
      if (nodes_[node][bit ? 1 : 0] < 0 || nodes_[node][bit ? 1 : 0] >= kData) {
        nodes_[node][bit ? 1 : 0] = static_cast<std::int64_t>(nodes_.size());
        nodes_.push_back({kNothing, kNothing});
      }
      node = static_cast<std::size_t>(nodes_[node][bit ? 1 : 0]);
    }
  }
  static std::uint32_t number(std::int64_t link, std::uint32_t count) {
    if (link == kNothing) return count;
    if (link >= kData) return static_cast<std::uint32_t>(link - kData) + count + 16;
    return static_cast<std::uint32_t>(link);
  }
  void put_node(std::uint32_t left, std::uint32_t right, std::string& out) const {
    const auto put = [&out](std::uint32_t value, int bits) {
      for (int shift = bits - 8; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>(value >> shift));
    };
    if (record_bits_ == 28) {
      put(left, 24);
      out.push_back(static_cast<char>((left >> 24U) << 4U | right >> 24U));
      put(right, 24);
    } else {
      put(left, static_cast<int>(record_bits_));
      put(right, static_cast<int>(record_bits_));
    }
  }

  unsigned bits_;
  unsigned record_bits_;
  std::string type_;
  std::string data_;
  std::vector<std::array<std::int64_t, 2>> nodes_{{kNothing, kNothing}};
};

}  // namespace sluice::ruleformats
