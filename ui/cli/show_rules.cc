#include "ui/cli/show_rules.h"

#include <algorithm>

#include "proto/common/sort_stably.h"
#include "proto/contract/rule_type.h"
#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

LineName name_of(const pb::Rule& rule) {
  return {rule.list(), rule.number()};
}

std::string ago(std::int64_t wall_ms, const Screen& screen) {
  return wall_ms == 0 ? std::string() : human_span(screen.now_wall_ms - wall_ms) + " ago";
}

std::string rule_text(const pb::Rule& rule) {
  std::string out(contract::written_type(rule.type()));
  return rule.payload().empty() ? out : out + "," + rule.payload();
}

bool is_disabled(const pb::Rule& rule) {
  return rule.disabled();
}

void add_rule(JsonWriter& w, const pb::Rule& rule) {
  w.object([&] {
    w.key("index").number(std::uint64_t{rule.number()});
    w.key("list").text(rule.list());
    w.key("type").text(rule.type());
    w.key("payload").text(rule.payload());
    w.key("proxy").text(rule.target());
    w.key("place").text(rule.place());
    w.key("extra").object([&] {
      w.key("disabled").boolean(rule.disabled());
      w.key("hitCount").number(rule.hits());
      w.key("hitAt").text(rfc3339_or_empty(rule.hit_wall_ms()));
      w.key("missCount").number(rule.misses());
      w.key("missAt").text(rfc3339_or_empty(rule.miss_wall_ms()));
    });
  });
}

/// One column: how it is titled, and what stands in it.
struct Field {
  Column column;
  std::string (*cell)(const pb::Rule&, const Screen&);
};

std::vector<Field> fields(bool hits, bool any_disabled) {
  std::vector<Field> out{{{"LINE", Align::right}, [](const pb::Rule& rule, const Screen&) {
                            return to_text(name_of(rule));
                          }}};
  if (any_disabled)
    out.push_back({{"STATE"}, [](const pb::Rule& rule, const Screen&) {
                     return std::string(rule.disabled() ? "off" : "");
                   }});
  out.push_back({{"RULE", Align::left, true},
                 [](const pb::Rule& rule, const Screen&) { return rule_text(rule); }});
  out.push_back({{"TARGET", Align::left, true},
                 [](const pb::Rule& rule, const Screen&) { return rule.target(); }});
  if (hits) {
    out.push_back({{"HITS", Align::right}, [](const pb::Rule& rule, const Screen&) {
                     return std::to_string(rule.hits());
                   }});
    out.push_back({{"LAST HIT", Align::right}, [](const pb::Rule& rule, const Screen& screen) {
                     return ago(rule.hit_wall_ms(), screen);
                   }});
    out.push_back({{"MISSES", Align::right}, [](const pb::Rule& rule, const Screen&) {
                     return std::to_string(rule.misses());
                   }});
  }
  out.push_back({{"PLACE", Align::left, true},
                 [](const pb::Rule& rule, const Screen&) { return rule.place(); }});
  return out;
}

template <class Keep>
void keep_if(pb::RuleTable& table, Keep keep) {
  auto& rules = *table.mutable_rules();
  rules.erase(
      std::remove_if(rules.begin(), rules.end(), [&](const pb::Rule& rule) { return !keep(rule); }),
      rules.end());
}

std::string counted_for(const pb::RuleTable& table, const Screen& screen) {
  if (table.since_wall_ms() == 0) return {};
  const std::string counted = " in " + human_span(screen.now_wall_ms - table.since_wall_ms());
  if (table.changed_wall_ms() <= table.since_wall_ms()) return counted;
  return counted + "; lines that came with the last change have been there for " +
         human_span(screen.now_wall_ms - table.changed_wall_ms());
}

}  // namespace

bool keep_list(pb::RuleTable& table, const std::string& list) {
  const std::string wanted = list == kListProper ? std::string() : list;
  keep_if(table, [&](const pb::Rule& rule) { return rule.list() == wanted; });
  return table.rules_size() > 0 || wanted.empty();
}

void keep_top(pb::RuleTable& table, std::size_t count) {
  keep_if(table, [](const pb::Rule& rule) { return rule.hits() > 0; });
  auto& rules = *table.mutable_rules();
  sort_stably(rules.pointer_begin(), rules.pointer_end(),
              [](const pb::Rule* a, const pb::Rule* b) { return a->hits() > b->hits(); });
  if (static_cast<std::size_t>(rules.size()) > count)
    rules.erase(rules.begin() + static_cast<int>(count), rules.end());
}

void keep_unused(pb::RuleTable& table) {
  keep_if(table, [](const pb::Rule& rule) { return rule.hits() == 0; });
}

std::string rules_json(const pb::RuleTable& table) {
  JsonWriter w;
  w.object([&] {
    w.key("rules").array([&] {
      for (const pb::Rule& rule : table.rules()) add_rule(w, rule);
    });
    w.key("unmatched").number(table.unmatched());
    w.key("since").text(rfc3339_or_empty(table.since_wall_ms()));
    w.key("changedAt").text(rfc3339_or_empty(table.changed_wall_ms()));
  });
  return w.str() + "\n";
}

std::string rules_text(const pb::RuleTable& table, bool hits, const Screen& screen) {
  if (table.rules_size() == 0) return {};
  const std::vector<Field> shown = fields(hits, std::ranges::any_of(table.rules(), is_disabled));
  std::vector<Column> columns;
  for (const Field& field : shown) columns.push_back(field.column);
  std::vector<std::vector<std::string>> rows;
  for (const pb::Rule& rule : table.rules()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const Field& field : shown) row.push_back(field.cell(rule, screen));
  }
  return layout(columns, rows, screen.width);
}

std::string rules_summary(const pb::RuleTable& table, const Screen& screen) {
  const auto disabled = static_cast<std::size_t>(std::ranges::count_if(table.rules(), is_disabled));
  std::string out = counted(static_cast<std::size_t>(table.rules_size()), "line");
  if (disabled > 0) out += ", " + std::to_string(disabled) + " of them disabled";
  return out + "; " + counted(table.unmatched(), "flow") + " met none of `rules`" +
         counted_for(table, screen) + "\n";
}

std::string unused_summary(const pb::RuleTable& unused, std::size_t all, const Screen& screen) {
  return std::to_string(unused.rules_size()) + " of " + counted(all, "line") + " decided no flow" +
         counted_for(unused, screen) + "\n";
}

std::string switched_json(const std::vector<LineName>& lines, bool disabled) {
  JsonWriter w;
  w.object([&] {
    w.key("rules").array([&] {
      for (const LineName& line : lines)
        w.object([&] {
          w.key("index").number(std::uint64_t{line.number});
          w.key("list").text(line.list);
          w.key("disabled").boolean(disabled);
        });
    });
  });
  return w.str() + "\n";
}

std::string switched_text(const std::vector<LineName>& lines, bool disabled) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + printable(to_text(lines[i]));
  out += lines.size() == 1 ? " is " : " are ";
  return out + (disabled ? "disabled until the router is restarted\n" : "enabled\n");
}

}  // namespace sluice::cli
