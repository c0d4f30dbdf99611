// ruleset/file_records.h - which contents of which files were accepted, so that a restart neither
// hashes nor judges a file that nobody touched.
//
//   (path, reading) ──> content in force {digest, tally, stamp}, a newer one, ...
//
//   HOME/cache/sets      "SLUICEST" version(4) count(4) record... SHA-256 of the program's version
//                        and all before(32)
//   record               reading(1) path size(2) path digest(32) entries(4) faults(4)
//                        stamped(1) [inode(8) size(8) modified ns(8)]          big endian
//
// Thread: one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/feed.h"
#include "controlplane/ruleset/cache_file.h"
#include "controlplane/ruleset/file_bytes.h"
#include "controlplane/ruleset/source.h"
#include "proto/common/cursor.h"
#include "proto/contract/digest.h"

namespace sluice::sets {

struct FileRecord {
  std::string path;
  std::uint8_t reading = 0;  ///< reading_of() the source
  contract::Digest digest{};
  ruleformats::Tally tally;
  std::optional<FileStamp> stamp;  ///< of the file that is known to hold it
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// The whole file.
[[nodiscard]] std::vector<std::byte> encode_records(std::span<const FileRecord> records);
/// What stands before the digest. Nothing when it is of another version, holds more than
/// kMaxRecords, or is none.
[[nodiscard]] std::optional<std::vector<FileRecord>> parse_records(ByteView content);

class FileRecords {
 public:
  /// A file that is missing or damaged is an empty memory.
  explicit FileRecords(std::string file);

  /// The accepted content that the file with this stamp has, or that has this digest; null when
  /// there is none. Until the next call that changes something.
  [[nodiscard]] const FileRecord* find(const Source& source, const FileStamp& stamp) const noexcept;
  [[nodiscard]] const FileRecord* find(const Source& source,
                                       const contract::Digest& digest) const noexcept;

  /// This content was judged good. The oldest of more than kContentsPerFile is forgotten.
  void accept(const Source& source, const contract::Digest& digest,
              const ruleformats::Tally& tally);
  /// The file with this stamp holds that accepted content. Not remembered while it is too young to
  /// be sure (kRacy_ms around `now_ms`, wall clock).
  void seen(const Source& source, const contract::Digest& digest, const FileStamp& stamp,
            std::int64_t now_ms);
  /// Forgets the files of all other sources.
  void keep_only(std::span<const Source> sources);

  /// Writes what changed, if anything did.
  [[nodiscard]] Written save();

 private:
  /// records_.size() when there is none.
  [[nodiscard]] std::size_t index_of(const Source& source,
                                     const contract::Digest& digest) const noexcept;

  std::string file_;
  std::vector<FileRecord> records_;  ///< newest first
  bool changed_ = false;
};

}  // namespace sluice::sets
