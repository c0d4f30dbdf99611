// ruleset/kept_copies.h - accepted contents of users' own files, since those belong to their users
// and may be broken or gone tomorrow.
//
//   HOME/cache/kept/<16 digits: name>-<64 digits: content>.zst     one for each provider
//
// Blocks on the disk. Thread: one.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controlplane/ruleset/cache_file.h"
#include "controlplane/ruleset/cache_use.h"
#include "controlplane/ruleset/source.h"
#include "proto/common/cursor.h"
#include "proto/contract/digest.h"

namespace sluice::sets {

class KeptCopies {
 public:
  explicit KeptCopies(std::string directory, CacheUse use = CacheUse::read_write);

  /// The content that is kept for a provider.
  [[nodiscard]] std::optional<contract::Digest> find(const Source& source) const;
  /// The bytes of what find() says. A damaged copy is removed. Errors: a sentence.
  [[nodiscard]] std::expected<std::string, std::string> read(const Source& source);
  /// Keeps `bytes` in place of what was kept before. What packs to more than kMaxKept_bytes is not
  /// kept.
  [[nodiscard]] Written keep(const Source& source, const contract::Digest& digest, ByteView bytes);
  /// Removes the copies of all other providers, and what else lies in the directory.
  void keep_only(std::span<const Source> sources);

 private:
  [[nodiscard]] std::string path_of(const std::string& name_digits,
                                    const contract::Digest& digest) const;

  std::string directory_;
  CacheUse use_;
  std::map<std::string, contract::Digest, std::less<>> kept_;  ///< by the digits of the name
};

}  // namespace sluice::sets
