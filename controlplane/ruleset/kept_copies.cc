#include "controlplane/ruleset/kept_copies.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "controlplane/ruleformats/unpack.h"
#include "controlplane/ruleset/bounds.h"
#include "controlplane/ruleset/file_bytes.h"

namespace sluice::sets {
namespace {

constexpr std::size_t kNameDigits = 16;
constexpr std::size_t kContentDigits = 64;
constexpr std::string_view kEnding = ".zst";

std::string digits_of(const Source& source) {
  return contract::to_text(contract::digest_of(as_byte_view(source.name))).substr(0, kNameDigits);
}

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<contract::Digest> parse_digest(std::string_view text) noexcept {
  contract::Digest out{};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[i] = static_cast<std::byte>(high * 16 + low);
  }
  return out;
}

/// The content that a file name tells of.
std::optional<contract::Digest> content_of(std::string_view name) noexcept {
  if (name.size() != kNameDigits + 1 + kContentDigits + kEnding.size() ||
      name[kNameDigits] != '-' || !name.ends_with(kEnding))
    return std::nullopt;
  return parse_digest(name.substr(kNameDigits + 1, kContentDigits));
}

}  // namespace

KeptCopies::KeptCopies(std::string directory, CacheUse use)
    : directory_(std::move(directory)), use_(use) {
  for (const std::string& name : names_in(directory_))
    if (const auto content = content_of(name)) kept_[name.substr(0, kNameDigits)] = *content;
}

std::string KeptCopies::path_of(const std::string& name_digits,
                                const contract::Digest& digest) const {
  return directory_ + "/" + name_digits + "-" + contract::to_text(digest) + std::string(kEnding);
}

std::optional<contract::Digest> KeptCopies::find(const Source& source) const {
  const auto found = kept_.find(digits_of(source));
  if (found == kept_.end()) return std::nullopt;
  return found->second;
}

std::expected<std::string, std::string> KeptCopies::read(const Source& source) {
  const std::string digits = digits_of(source);
  const auto found = kept_.find(digits);
  if (found == kept_.end()) return std::unexpected(std::string("nothing is kept"));
  const std::string path = path_of(digits, found->second);
  const auto file = FileBytes::open(path, kMaxKept_bytes);
  if (!file) return std::unexpected(file.error());
  const auto packed = file->read();
  if (!packed) return std::unexpected(packed.error());
  const auto plain = ruleformats::unpack_zstd(as_byte_view(*packed), source.most);
  if (plain && contract::digest_of(*plain) == found->second) return std::string(as_text(*plain));
  if (use_ == CacheUse::read_write) ::unlink(path.c_str());
  kept_.erase(found);
  return std::unexpected(path + " is damaged");
}

Written KeptCopies::keep(const Source& source, const contract::Digest& digest, ByteView bytes) {
  if (use_ == CacheUse::read_only) return {};
  const std::string digits = digits_of(source);
  const auto former = kept_.find(digits);
  if (former != kept_.end() && former->second == digest) return {};
  const auto packed = ruleformats::pack_zstd(bytes);
  if (!packed || packed->size() > kMaxKept_bytes)
    return std::unexpected(source.path + " is too large to keep a copy of");
  const std::string path = path_of(digits, digest);
  if (const Written written = write_cache_file(path, {ByteView(*packed)}); !written) return written;
  if (former != kept_.end()) ::unlink(path_of(digits, former->second).c_str());
  kept_[digits] = digest;
  return {};
}

void KeptCopies::keep_only(std::span<const Source> sources) {
  if (use_ == CacheUse::read_only) return;
  std::set<std::string> wanted;
  for (const Source& source : sources)
    if (source.kind == SourceKind::file_list) wanted.insert(digits_of(source));
  std::erase_if(kept_, [&](const auto& kept) { return !wanted.contains(kept.first); });
  for (const std::string& name : names_in(directory_)) {
    const auto kept = kept_.find(name.substr(0, kNameDigits));
    if (kept == kept_.end() || content_of(name) != kept->second)
      ::unlink((directory_ + "/" + name).c_str());
  }
}

}  // namespace sluice::sets
