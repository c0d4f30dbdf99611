// compile/set_input.h - where compile gets the entries of the sets that rules name.
//
//   RULE-SET,ads,…      {provider, "ads"}       GEOIP,CN,…       {geoip, "cn"}
//   GEOSITE,CN@ads,…    {geosite, "cn@ads"}     IP-ASN,13335,…   {asn, "13335"}
//
//   compile ── read({provider, "ads"}, to) ──> SetInput    who has the bytes
//           <── to.name(...), to.prefix(...), to.condition(...)
//
// Entries stream: nothing of a set is kept but what the block needs. Declared here and implemented
// above, so that compile stays pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "controlplane/model/condition.h"
#include "controlplane/ruleformats/entries.h"
#include "proto/common/address.h"

namespace sluice::compile {

enum class SetKind : std::uint8_t { provider, geosite, geoip, asn };

/// A set as rules name it: geo names in lower case, with `!` and attributes as written.
struct SetRef {
  SetKind kind = SetKind::provider;
  std::string name;
  friend auto operator<=>(const SetRef&, const SetRef&) = default;
};

/// Takes the entries of one set. Texts are views that die with the call.
class SetEntries {
 public:
  virtual void name(const ruleformats::NameEntry& entry) = 0;
  virtual void prefix(const Prefix& prefix) = 0;
  /// A line of a classical set. It names no rule provider.
  virtual void condition(const model::Condition& condition) = 0;

 protected:
  ~SetEntries() = default;
};

struct SetTraits {
  bool inverse = false;  ///< the set is everything but its entries
};

class SetInput {
 public:
  /// Hands over all entries of a set. One without content has none, and is not inverse: it matches
  /// nothing. Each set is asked once per compile().
  virtual SetTraits read(const SetRef& set, SetEntries& to) = 0;

 protected:
  ~SetInput() = default;
};

}  // namespace sluice::compile
