// ruleformats/bounds.h - bounds that keep a hostile or broken rule file from using up the machine.
//
// What decoding needs beside the input and what the sink keeps:
//   text, yaml, AdGuard, hosts, geosite.dat, geoip.dat, sing-box JSON   one entry, one line_bytes
//   mrs, srs    at most 6 * plain_bytes: the plain content, and 4 bytes a trie node beside it;
//               while it is unpacked 2 * plain_bytes and, for mrs, its window
//   mmdb        20 KiB
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::ruleformats {

struct Bounds {
  /// Largest file. The largest public geosite.dat and domain lists are some 12 MiB.
  std::size_t input_bytes = std::size_t{64} << 20;
  /// Largest content of a compressed file. A list of 1,000,000 names is 15 MiB as a trie.
  std::size_t plain_bytes = std::size_t{64} << 20;
  /// Entries that one file may yield, broken ones included; what a compiled set may hold at most.
  std::uint32_t entries = 1U << 22U;
  /// Longest rule line that a sing-box rule with conditions is turned into.
  std::size_t line_bytes = std::size_t{1} << 20;
};

/// Ranges in one port rule of such a line; further ones stand in another. What a rule may list
/// (model/bounds.h).
inline constexpr unsigned kMaxLinePorts = 28;
/// Nesting of logical rules and of JSON. sing-box's own AdGuard conversion nests three deep.
inline constexpr unsigned kMaxDepth = 16;
/// Rules in the tree of one sing-box file; each takes some 100 bytes while the file is read.
inline constexpr std::uint32_t kMaxHeadlessRules = 1U << 16U;
/// Values looked at in one mmdb record. A City record in eight languages has some 150.
inline constexpr unsigned kMaxRecordValues = 4096;
/// Values looked at in all records of one walk over an mmdb file, for each node of its tree and
/// once more. A City file, the largest, has to look at some 10 before it comes to the country.
inline constexpr std::uint64_t kWalkValuesPerNode = 32;
inline constexpr std::uint64_t kWalkValues = std::uint64_t{1} << 20U;
/// Longest code of a country or list in an mmdb file. Codes of the field have 2 to 10 bytes.
inline constexpr std::size_t kMaxCode_bytes = 64;
/// Window of a zstd frame, 64 MiB: the tools of the field use 32 MiB at their strongest level.
inline constexpr int kMaxWindowLog = 26;

}  // namespace sluice::ruleformats
