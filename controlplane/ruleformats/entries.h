// ruleformats/entries.h - what every decoder hands on, entry by entry, and who takes it.
//
//   bytes ──> decoder ──┬── name(), prefix(), line() ──> Entries: the compiler, a writer, a counter
//                       └── fault(): one broken entry; the rest of the file goes on
//
// Every text is a view that dies with the call. Thread: the caller's.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/common/address.h"

namespace sluice::ruleformats {

/// What the entries of a rule provider mean.
enum class Behavior : std::uint8_t { domain = 0, ipcidr = 1, classical = 2 };

/// Where an entry stands in its file.
struct Place {
  std::uint32_t entry = 0;   ///< counts entries from 0, broken ones included
  std::uint32_t line = 0;    ///< from 1; 0 in a binary file
  std::uint32_t column = 0;  ///< bytes, from 1; 0 when the whole line is meant
  friend bool operator==(const Place&, const Place&) = default;
};

enum class NameKind : std::uint8_t {
  exact,    ///< the name itself
  suffix,   ///< the name and all below it
  below,    ///< only what lies below the name
  glob,     ///< `*` any run of bytes, `?` one byte, over the whole name
  keyword,  ///< a part of the name
  regex,    ///< searched in the name, without regard to case
};

/// How an entry counts. Of the entries that match a name, the one of the greatest weight decides
/// whether the name is in the set: filter lists have exceptions, and marks that overrule them.
enum class Weight : std::uint8_t { listed = 0, excepted, listed_firmly, excepted_firmly };

[[nodiscard]] constexpr bool is_exception(Weight weight) noexcept {
  return weight == Weight::excepted || weight == Weight::excepted_firmly;
}

struct NameEntry {
  NameKind kind = NameKind::exact;
  Weight weight = Weight::listed;
  /// exact, suffix, below: a label `*` in the text stands for exactly one label.
  bool wild = false;
  /// exact, suffix, below: normal form (common/name.h), except that labels may be UTF-8 as written.
  /// glob, keyword: lower case, not empty. regex: as written.
  std::string_view text;
  Place place;
};

/// One entry that is left out.
struct Fault {
  Place place;
  std::string_view text;    ///< the entry as written; empty where it has no text form
  std::string_view reason;  ///< what is wrong, after the text: "is not an address or prefix"
};

class Faults {
 public:
  virtual void fault(const Fault& fault) = 0;

 protected:
  ~Faults() = default;
};

class Entries : public Faults {
 public:
  virtual void name(const NameEntry& entry) = 0;
  virtual void prefix(const Prefix& prefix, const Place& place) = 0;
  /// A classical rule without target: "DST-PORT,443", "AND,((NETWORK,udp),(DST-PORT,53))".
  virtual void line(std::string_view rule, const Place& place) = 0;

 protected:
  ~Entries() = default;
};

}  // namespace sluice::ruleformats
