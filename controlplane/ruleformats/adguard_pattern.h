// ruleformats/adguard_pattern.h - the name pattern of a filter rule, as AdGuard's DNS syntax has
// it.
//
//   ||example.test^    the name and all below it      |example.test^   the name itself
//   example.test^      names that end so              ||example.       a label starts so
//   -banner-           names that hold it             `*`              any run of bytes
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "controlplane/ruleformats/entries.h"
#include "proto/common/name.h"

namespace sluice::ruleformats {

/// Longest body of a pattern.
inline constexpr std::size_t kMaxPattern = kMaxName;

struct AdguardPattern {
  enum class Start : std::uint8_t { anywhere, label, name };

  Start start = Start::anywhere;
  bool to_end = false;    ///< the match must reach the end of the name
  std::string_view body;  ///< between the anchors

  /// Takes the anchors off a pattern. Any text has a pattern; expand() says whether it is a good
  /// one.
  static AdguardPattern parse(std::string_view text) noexcept;
};

/// What a pattern means in entries of our kinds: one, or two where a label may start anywhere.
class AdguardNames {
 public:
  struct Item {
    NameKind kind = NameKind::exact;
    std::string text;
  };

  /// The answer is empty, or the reason why the pattern means no names.
  [[nodiscard]] std::string_view expand(const AdguardPattern& pattern);
  [[nodiscard]] std::span<const Item> items() const noexcept {
    return std::span(items_).first(count_);
  }

 private:
  void add(NameKind kind, std::string_view head, std::string_view body, std::string_view tail = {});
  void add_globs(const AdguardPattern& pattern);

  std::array<Item, 2> items_;
  std::size_t count_ = 0;
};

}  // namespace sluice::ruleformats
