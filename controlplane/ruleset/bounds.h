// ruleset/bounds.h - tunable numbers of sets and of what is kept on disk, each with its source.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::sets {

/// Entries of no use that are told one by one; the others are counted. What fits a screen.
inline constexpr std::size_t kToldFaults = 5;

/// A file that was changed this close to the moment it is looked at may change again without
/// another modification time: file systems count in steps of up to 2 s.
inline constexpr std::int64_t kRacy_ms = 2'000;

/// Files that are remembered. A configuration of the field has some 40 providers.
inline constexpr std::size_t kMaxRecords = 4'096;
/// Of the file that remembers them: as many records with a path of 200 bytes.
inline constexpr std::size_t kMaxRecords_bytes = std::size_t{1} << 20U;
/// Contents of one file that count as accepted: the one in force, and a newer one that may still
/// fail to be stored.
inline constexpr std::size_t kContentsPerFile = 2;

/// Of the copy of a user's file, packed: a list of 300,000 names packs to some 3 MiB.
inline constexpr std::size_t kMaxKept_bytes = std::size_t{16} << 20U;

/// Finished blocks on disk: the running configuration, the one before, and one that was tried.
inline constexpr std::size_t kKeptBlocks = 3;
/// Problems beside a block, and bytes of one of their texts.
inline constexpr std::size_t kMaxProblems = 1'024;
inline constexpr std::size_t kMaxProblemText_bytes = 4'096;

}  // namespace sluice::sets
