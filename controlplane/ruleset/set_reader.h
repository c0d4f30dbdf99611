// ruleset/set_reader.h - the sets of one configuration, for one compile.
//
//   {provider, "ads"}     ──> the list "ads" ────────────> its entries
//   {geosite, "cn@ads"}   ──> geosite file ── category ──> names that have the attribute
//   {geoip, "!us"}        ──> GeoIP file ──── country ───> prefixes, inverse
//   {asn, "13335"}        ──> ASN file ────── number ────> prefixes
//
// Lists are in memory only while they are handed over, geo files from their first use until
// release(). Blocks on the disk. Owner: whoever compiles. Thread: the shelf's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controlplane/compile/set_input.h"
#include "controlplane/ruleset/read_content.h"
#include "controlplane/ruleset/set_problem.h"
#include "controlplane/ruleset/shelf.h"
#include "controlplane/ruleset/source.h"
#include "proto/contract/digest.h"

namespace sluice::sets {

class SetReader final : public compile::SetInput {
 public:
  /// `sources` are those of the configuration: lists by name, at most one file for each kind of geo
  /// set. `shelf` outlives this.
  SetReader(Shelf& shelf, std::vector<Source> sources);
  SetReader(const SetReader&) = delete;
  SetReader& operator=(const SetReader&) = delete;
  /// What was learnt of files is written.
  ~SetReader() { shelf_.save(); }

  /// The content behind a set; zero when there is none. After read(): of what was read.
  [[nodiscard]] contract::Digest digest_of(const compile::SetRef& set);

  /// Names the block that compile() makes of a configuration with this rules_key(), these
  /// sets_of() it, and zones with that digest. Looks at files, reads those that nobody has looked
  /// at since they changed. Asked again after compile(), it tells what was compiled in truth, had a
  /// file changed meanwhile.
  [[nodiscard]] contract::Digest block_key(const contract::Digest& rules_key,
                                           std::span<const compile::SetRef> sets,
                                           const contract::Digest& zones);

  compile::SetTraits read(const compile::SetRef& set, compile::SetEntries& to) override;
  /// Lets go of geo files. A read() after it opens them again.
  void release();

  /// In the order in which they were met. What is of content shows in read() alone.
  [[nodiscard]] const std::vector<SetProblem>& problems() const noexcept { return problems_; }

 private:
  struct Holding {
    Source source;
    Content content;  ///< its bytes: of a geo file that was read
    bool looked = false;
    bool loaded = false;
  };
  [[nodiscard]] Holding* find(const compile::SetRef& set) noexcept;
  void look(Holding& holding);
  void read_list_of(const compile::SetRef& set, Holding& holding, compile::SetEntries& to);
  void tell(const compile::SetRef& set, std::string sentence, bool of_content);
  void tell_of_entries(const compile::SetRef& set, const Source& source, const Findings& found);
  void tell_of_file(const compile::SetRef& set, const Holding* holding);

  Shelf& shelf_;
  std::vector<Holding> holdings_;
  std::vector<SetProblem> problems_;
};

}  // namespace sluice::sets
