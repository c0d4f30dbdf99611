// ruleformats/headless_rule.h - sing-box's rules as a tree whose entries are still in the file.
//
//   plain     all of: one of its names and prefixes; one of its ports; one of its source prefixes;
//             one of its source ports; one of its networks ...; turned around by `invert`
//   logical   all (`and`) or any (`or`) of the rules below it; turned around by `invert`
//
// The binary form and the JSON source have one tree and differ in how the entries of an item are
// read (HeadlessSource).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/entries.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// What an item tests. Those of one group are alternatives; the groups must all hold.
enum class HeadlessField : std::uint8_t {
  name_set,     ///< binary form: exact names and suffixes as a trie
  adguard_set,  ///< binary form: patterns of a filter list as a trie
  exact,
  suffix,
  keyword,
  regex,
  prefix,
  port,
  port_range,
  source_prefix,
  source_port,
  source_port_range,
  network,
  process_name,
  process_path,
  process_path_regex,
  unknown,  ///< has no counterpart in our rules
};

struct HeadlessItem {
  HeadlessField field = HeadlessField::unknown;
  ByteView raw;            ///< its entries as they stand in the file
  std::string_view title;  ///< how sing-box's documents call it
};

struct HeadlessRule {
  bool logical = false;
  bool any = false;  ///< logical: `or`
  bool invert = false;
  std::vector<HeadlessItem> items;
  std::vector<HeadlessRule> rules;
};

/// Takes the entries of one item. The texts are unchecked and die with the call.
class HeadlessTerms {
 public:
  virtual void name(NameKind kind, std::string_view text) = 0;
  virtual void prefix(const Prefix& prefix) = 0;
  virtual void ports(std::uint16_t first, std::uint16_t last) = 0;
  /// A network, a process.
  virtual void word(std::string_view text) = 0;
  virtual void bad(std::string_view text, std::string_view reason) = 0;
  /// True when further entries make no difference.
  [[nodiscard]] virtual bool done() const = 0;

 protected:
  ~HeadlessTerms() = default;
};

class HeadlessSource {
 public:
  virtual void read(const HeadlessItem& item, HeadlessTerms& to) const = 0;

 protected:
  ~HeadlessSource() = default;
};

/// Groups of alternatives.
enum class HeadlessGroup : std::uint8_t {
  destination,
  port,
  source_prefix,
  source_port,
  network,
  process_name,
  process_path,
  process_path_regex,
  none,
};
[[nodiscard]] HeadlessGroup group_of(HeadlessField field) noexcept;

/// Hands on one entry that is written as text: a keyword, a prefix, "1000:2000", ":99" ...
void read_headless_text(HeadlessField field, std::string_view text, HeadlessTerms& to);

}  // namespace sluice::ruleformats
