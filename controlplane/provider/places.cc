#include "controlplane/provider/places.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::provider {
namespace {

template <class Use>
void for_each_part(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Strictly below: the directory itself is no file.
bool lies_below(std::string_view directory, std::string_view path) {
  if (directory == "/") return path.size() > 1;
  return path.size() > directory.size() + 1 && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

}  // namespace

std::vector<std::string> split_safe_paths(std::string_view text) {
  std::vector<std::string> out;
  for_each_part(text, ':', [&](std::string_view entry) {
    if (entry.starts_with('/')) out.push_back(resolve_path("/", entry));
  });
  return out;
}

std::string resolve_path(const std::string& home, std::string_view path) {
  std::string whole = path.starts_with('/') ? std::string() : home + "/";
  whole += path;
  std::vector<std::string_view> parts;
  for_each_part(whole, '/', [&](std::string_view part) {
    if (part.empty() || part == ".") return;
    if (part != "..")
      parts.push_back(part);
    else if (!parts.empty())
      parts.pop_back();
  });
  std::string out;
  for (const std::string_view part : parts) out.append("/").append(part);
  return out.empty() ? "/" : out;
}

std::string default_path(std::string_view folder, std::string_view url) {
  std::array<unsigned char, 16> digest{};
  EVP_Digest(url.data(), url.size(), digest.data(), nullptr, EVP_md5(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(folder);
  out += '/';
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

bool Places::allowed(std::string_view path) const {
  if (rules_.anywhere || lies_below(resolve_path("/", rules_.home), path)) return true;
  return std::ranges::any_of(rules_.safe_paths, [&](const std::string& directory) {
    return lies_below(resolve_path("/", directory), path);
  });
}

std::expected<std::string, std::string> Places::claim(const std::string& owner,
                                                      std::string_view path, Use use) {
  if (path.empty() || path.find('\0') != std::string_view::npos)
    return std::unexpected(owner + ": needs a path");
  std::string whole = resolve_path(rules_.home, path);
  if (!allowed(whole)) {
    return std::unexpected(owner + ": path " + whole + " lies outside the home directory " +
                           rules_.home + "; put it there, or name its directory in SAFE_PATHS");
  }
  const auto [at, fresh] = claims_.try_emplace(whole, Claim{owner, use});
  if (!fresh && (use == Use::write || at->second.use == Use::write)) {
    return std::unexpected(owner + ": path " + whole + " is used by " + at->second.owner +
                           " too; give each a path of its own");
  }
  return whole;
}

}  // namespace sluice::provider
