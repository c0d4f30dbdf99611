#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "dataplane/route/check.h"
#include "dataplane/route/needs.h"
#include "dataplane/route/same_lines.h"
#include "dataplane/route/snapshot.h"
#include "dataplane/route/sniff_lists.h"

namespace sluice::route {
namespace {

Check check_manifest(const contract::Manifest& manifest) {
  if (auto wrong = check_general(manifest)) return wrong;
  if (auto wrong = check_outbounds(manifest)) return wrong;
  if (auto wrong = check_groups(manifest.outbounds)) return wrong;
  if (auto wrong = check_rules(manifest)) return wrong;
  if (auto wrong = check_listeners(manifest)) return wrong;
  return check_capture(manifest.capture);
}

struct Rules {
  contract::BlobPtr block;
  ruleset::View view;
  ruleset::Patterns patterns;
};

/// No rules may come without a block: digest zero.
std::expected<Rules, Refusal> open_rules(const contract::Manifest& manifest, const BlobMap& blobs) {
  const auto refuse_rules = [](std::string reason) {
    return std::unexpected(Refusal{"ruleset", std::move(reason)});
  };
  if (manifest.rules.empty() && manifest.ruleset == contract::Digest{} &&
      sniff_entries(manifest.sniffer).empty())
    return Rules{};
  const auto found = blobs.find(manifest.ruleset);
  if (found == blobs.end() || found->second == nullptr)
    return refuse_rules("its block has not been sent");
  const contract::BlobPtr& block = found->second;
  if (block->bytes.size() > kMaxBlock_bytes) return refuse_rules("its block is too large");
  const auto view = ruleset::View::open(block->bytes);
  if (!view)
    return refuse_rules("its block is refused at byte " + std::to_string(view.error().offset) +
                        ": " + std::string(view.error().reason));
  const std::size_t lines = manifest.rules.size() + sniff_entries(manifest.sniffer).size();
  if (view->line_count() != lines)
    return refuse_rules("its block has " + std::to_string(view->line_count()) +
                        " lines, the manifest " + std::to_string(lines));
  auto patterns = ruleset::Patterns::compile(view->patterns());
  if (!patterns)
    return refuse_rules("its pattern " + std::to_string(patterns.error()) + " does not compile");
  return Rules{block, *view, std::move(*patterns)};
}

/// What a REMATCH or a listener leads to must be in the block.
Check check_entries(const contract::Manifest& manifest, const ruleset::View& view) {
  const auto is_missing = [&view](const std::optional<std::uint32_t>& entry) {
    return entry && *entry >= view.entry_count();
  };
  const char* const reason = "is no entry of the rules' block";
  for (std::size_t i = 0; i < manifest.outbounds.size(); ++i)
    if (is_missing(manifest.outbounds[i].rematch_entry))
      return refuse(place("outbounds", i) + ".rematch_entry", reason);
  for (std::size_t i = 0; i < manifest.listeners.size(); ++i)
    if (is_missing(manifest.listeners[i].rule_entry))
      return refuse(place("listeners", i) + ".rule_entry", reason);
  return check_sniff_lists(manifest, view);
}

/// The entries of a snapshot by the names of their lists; those without lines are in none. Views
/// its manifest.
class EntriesByList {
 public:
  explicit EntriesByList(const Snapshot& now) {
    for (std::uint32_t e = 0; e < now.rules().entry_count(); ++e)
      if (const auto list = now.list_of(e)) entries_.try_emplace(*list, e);
  }

  /// The entry that walks the list which `entry` of `before` walks.
  [[nodiscard]] std::optional<std::uint32_t> same(const Snapshot& before,
                                                  std::uint32_t entry) const {
    if (entry == 0) return 0;
    const auto list = before.list_of(entry);
    const auto found = list ? entries_.find(*list) : entries_.end();
    if (found == entries_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> entries_;
};

}  // namespace

class SnapshotBuilder {
 public:
  static std::unique_ptr<const Snapshot> make(contract::Manifest manifest, Rules rules,
                                              std::uint64_t generation, const Snapshot* previous,
                                              unsigned workers) {
    std::unique_ptr<Snapshot> out(new Snapshot);
    out->generation_ = generation;
    out->manifest_ = std::move(manifest);
    out->block_ = std::move(rules.block);
    out->rules_ = rules.view;
    out->needs_ = needs_of(rules.view, rules_end(out->manifest_.sniffer, rules.view));
    out->patterns_ = std::move(rules.patterns);
    const auto& rules_shown = out->manifest_.rules;
    out->disabled_ =
        std::make_unique<ruleset::LineBits>(static_cast<std::uint32_t>(rules_shown.size()));
    out->targets_.reserve(rules_shown.size());
    for (const contract::RuleLine& line : rules_shown) out->targets_.push_back(line.outbound);
    out->counts_ =
        std::make_unique<HitCounts>(workers, rules_shown.size(), out->rules_.entry_count());
    index_names(*out);
    const auto& outbounds = out->manifest_.outbounds;
    out->choices_ = std::make_unique<std::atomic<std::uint32_t>[]>(outbounds.size());
    for (std::uint32_t i = 0; i < outbounds.size(); ++i)
      out->choices_[i].store(outbounds[i].initial_choice, std::memory_order_relaxed);
    if (previous != nullptr) {
      carry_choices(*out, *previous);
      carry_lines(*out, *previous);
      carry_listeners(*out, *previous);
    }
    return out;
  }

 private:
  static void index_names(Snapshot& out) {
    const contract::Manifest& m = out.manifest_;
    for (std::uint32_t i = 0; i < m.outbounds.size(); ++i)
      out.outbound_by_name_.emplace(m.outbounds[i].name, i);
  }

  static void carry_choices(const Snapshot& out, const Snapshot& previous) {
    const auto& old = previous.manifest().outbounds;
    for (std::uint32_t i = 0; i < old.size(); ++i) {
      if (old[i].kind != contract::OutboundKind::select) continue;
      const std::uint32_t member = old[i].members[previous.choice(i)];
      // A group or a member that is gone leaves the initial choice.
      (void)out.select(old[i].name, old[member].name);
    }
  }

  static void carry_lines(const Snapshot& out, const Snapshot& previous) {
    for (const SameLine& same : same_lines(previous.manifest(), out.manifest())) {
      out.counts_->carry_line(same.now, previous.hits(same.before), previous.last_hit(same.before));
      if (previous.disabled(same.before)) out.disabled_->set(same.now, true);
    }
    out.counts_->carry_ends(0, previous.unmatched(0));
  }

  static void carry_listeners(Snapshot& out, const Snapshot& previous) {
    const EntriesByList entries(out);
    for (const contract::Listener& l : previous.manifest().listeners) {
      if (out.find_listener(l.name) != nullptr) continue;
      contract::Listener leaving = l;
      if (l.outbound) {
        leaving.outbound = out.find_outbound(previous.outbound(*l.outbound).name);
        if (!leaving.outbound) continue;  // its clients must not go anywhere else
      }
      if (l.rule_entry) {
        leaving.rule_entry = entries.same(previous, *l.rule_entry);
        if (!leaving.rule_entry) continue;  // nor be decided by other rules
      }
      out.leaving_.push_back(std::move(leaving));
    }
  }
};

std::expected<std::unique_ptr<const Snapshot>, Refusal> build_snapshot(contract::Manifest manifest,
                                                                       const BlobMap& blobs,
                                                                       std::uint64_t generation,
                                                                       const Snapshot* previous,
                                                                       unsigned workers) {
  if (auto wrong = check_manifest(manifest)) return std::unexpected(std::move(*wrong));
  auto rules = open_rules(manifest, blobs);
  if (!rules) return std::unexpected(std::move(rules.error()));
  if (auto wrong = check_entries(manifest, rules->view)) return std::unexpected(std::move(*wrong));
  return SnapshotBuilder::make(std::move(manifest), std::move(*rules), generation, previous,
                               workers);
}

}  // namespace sluice::route
