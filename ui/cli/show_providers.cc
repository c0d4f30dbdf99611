#include <algorithm>

#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/show_rules.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

/// A word of the configuration, and how dashboards spell it.
struct Spelled {
  const char* word;
  const char* api;
};

Spelled spelled(pb::ProviderKind kind) {
  switch (kind) {
    case pb::PROVIDER_FILE:
      return {"file", "File"};
    case pb::PROVIDER_INLINE:
      return {"inline", "Inline"};
    default:
      return {"http", "HTTP"};
  }
}

Spelled spelled(pb::RuleBehavior behavior) {
  switch (behavior) {
    case pb::RULE_BEHAVIOR_IPCIDR:
      return {"ipcidr", "IPCIDR"};
    case pb::RULE_BEHAVIOR_CLASSICAL:
      return {"classical", "Classical"};
    default:
      return {"domain", "Domain"};
  }
}

/// Dashboards know the first three.
Spelled spelled(pb::RuleFormat format) {
  switch (format) {
    case pb::RULE_FORMAT_TEXT:
      return {"text", "TextRule"};
    case pb::RULE_FORMAT_MRS:
      return {"mrs", "MrsRule"};
    case pb::RULE_FORMAT_SRS:
      return {"srs", "SrsRule"};
    case pb::RULE_FORMAT_JSON:
      return {"json", "JsonRule"};
    case pb::RULE_FORMAT_ADGUARD:
      return {"adguard", "AdguardRule"};
    case pb::RULE_FORMAT_HOSTS:
      return {"hosts", "HostsRule"};
    default:
      return {"yaml", "YamlRule"};
  }
}

void add_provider(JsonWriter& w, const pb::RuleProvider& provider) {
  w.key(provider.name()).object([&] {
    w.key("name").text(provider.name());
    w.key("type").text("Rule");
    w.key("vehicleType").text(spelled(provider.kind()).api);
    w.key("behavior").text(spelled(provider.behavior()).api);
    w.key("format").text(spelled(provider.format()).api);
    w.key("ruleCount").number(std::uint64_t{provider.entries()});
    w.key("updatedAt").text(rfc3339_or_empty(provider.changed_wall_ms()));
    w.key("checkedAt").text(rfc3339_or_empty(provider.checked_wall_ms()));
    w.key("nextAt").text(rfc3339_or_empty(provider.next_wall_ms()));
    w.key("inForce").boolean(provider.in_force());
    w.key("refused").number(std::uint64_t{provider.refused()});
    w.key("refreshing").boolean(provider.refreshing());
    w.key("fault").text(provider.fault());
    w.key("digest").text(provider.digest());
  });
}

std::string ago(std::int64_t wall_ms, const Screen& screen) {
  return wall_ms == 0 ? "never" : human_span(screen.now_wall_ms - wall_ms) + " ago";
}

std::string next_text(const pb::RuleProvider& provider, const Screen& screen) {
  if (provider.refreshing()) return "now";
  if (provider.next_wall_ms() == 0) return {};
  return "in " + human_span(provider.next_wall_ms() - screen.now_wall_ms);
}

std::string entries_text(const pb::RuleProvider& provider) {
  if (!provider.in_force()) return "none yet";
  std::string out = std::to_string(provider.entries());
  if (provider.refused() > 0) out += " (" + std::to_string(provider.refused()) + " refused)";
  return out;
}

}  // namespace

std::string providers_json(const pb::RuleProviderTable& table) {
  JsonWriter w;
  w.object([&] {
    w.key("providers").object([&] {
      for (const pb::RuleProvider& provider : table.providers()) add_provider(w, provider);
    });
  });
  return w.str() + "\n";
}

std::string providers_text(const pb::RuleProviderTable& table, const Screen& screen) {
  if (table.providers_size() == 0) return "the configuration has no rule providers\n";
  std::vector<std::vector<std::string>> rows;
  std::string faults;
  for (const pb::RuleProvider& p : table.providers()) {
    rows.push_back({p.name(), spelled(p.kind()).word, spelled(p.behavior()).word,
                    spelled(p.format()).word, entries_text(p), ago(p.changed_wall_ms(), screen),
                    ago(p.checked_wall_ms(), screen), next_text(p, screen),
                    p.digest().substr(0, 8)});
    if (!p.fault().empty()) faults += printable(p.name() + ": " + p.fault()) + "\n";
  }
  const std::string out = layout({{"PROVIDER", Align::left, true},
                                  {"TYPE"},
                                  {"BEHAVIOR"},
                                  {"FORMAT"},
                                  {"ENTRIES", Align::right},
                                  {"CHANGED", Align::right},
                                  {"CHECKED", Align::right},
                                  {"NEXT", Align::right},
                                  {"DIGEST"}},
                                 rows, screen.width);
  return faults.empty() ? out : out + "\n" + faults;
}

}  // namespace sluice::cli
