// provider/places.h - which file a provider may use: below the home directory or one of the safe
// paths, and nobody else's.
//
// Lexical, as in Mihomo: links below the home directory may lead where they like, who can make them
// there owns what they lead to. One object for each configuration that is loaded. Thread: any one.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::provider {

struct PlaceRules {
  std::string home;                     ///< absolute
  std::vector<std::string> safe_paths;  ///< absolute directories; SAFE_PATHS
  bool anywhere = false;                ///< SKIP_SAFE_PATH_CHECK
};

/// "a:b" as the environment has it; entries that are not absolute are left out.
[[nodiscard]] std::vector<std::string> split_safe_paths(std::string_view text);

/// Without ".", ".." and doubled slashes; relative paths begin at `home`.
[[nodiscard]] std::string resolve_path(const std::string& home, std::string_view path);

/// Where the copy of `url` lies if the configuration names no path: "FOLDER/md5(url)", as Mihomo
/// has it, so that its copies are found.
[[nodiscard]] std::string default_path(std::string_view folder, std::string_view url);

class Places {
 public:
  /// Readers of one file may be many; whoever writes it must be the only one.
  enum class Use : std::uint8_t { read, write };

  explicit Places(PlaceRules rules) : rules_(std::move(rules)) {}

  /// The absolute path for `owner` ("rule provider ads"), or a sentence that names the fix.
  [[nodiscard]] std::expected<std::string, std::string> claim(const std::string& owner,
                                                              std::string_view path, Use use);

 private:
  struct Claim {
    std::string owner;
    Use use;
  };
  [[nodiscard]] bool allowed(std::string_view path) const;

  PlaceRules rules_;
  std::map<std::string, Claim, std::less<>> claims_;
};

}  // namespace sluice::provider
