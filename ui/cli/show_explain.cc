#include <vector>

#include "proto/contract/rule_type.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/show.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

/// Only what took time has one: many steps just say what was found.
std::string duration(std::uint64_t ns) {
  if (ns == 0) return {};
  if (ns < 10'000) return std::to_string(ns) + " ns";
  if (ns < 10'000'000) return std::to_string(ns / 1000) + " µs";
  return std::to_string(ns / 1'000'000) + " ms";
}

/// The end of the matter: the first line says it, so the steps need not.
bool is_refusal(const pb::ExplainStep& step) {
  return step.what() == "refused";
}

/// "rule 7", "sub-rule ads, line 7"
std::string line_name(const pb::ExplainReply& reply) {
  const std::string number = std::to_string(reply.index());
  return reply.list().empty() ? "rule " + number : "sub-rule " + reply.list() + ", line " + number;
}

std::string decision(const pb::ExplainReply& reply) {
  std::string out;
  if (reply.index() < 0) {
    out = "no rule decides";
  } else {
    out = line_name(reply);
    if (!reply.place().empty()) out += " (" + reply.place() + ")";
    out += ": " + std::string(contract::written_type(reply.rule()));
    if (!reply.rule_payload().empty()) out += "," + reply.rule_payload();
  }
  std::string way;
  for (int i = reply.chains_size() - 1; i >= 0; --i)
    way += (way.empty() ? "" : " > ") + reply.chains(i);
  if (!way.empty()) out += " -> " + way;
  for (const pb::ExplainStep& step : reply.steps())
    if (is_refusal(step)) out += ", refused: " + step.detail();
  return out;
}

}  // namespace

std::string explain_json(const pb::ExplainReply& reply) {
  JsonWriter w;
  w.object([&] {
    w.key("rule").text(reply.rule());
    w.key("rulePayload").text(reply.rule_payload());
    w.key("chains").texts(reply.chains());
    w.key("index").number(std::int64_t{reply.index()});
    w.key("list").text(reply.list());
    w.key("place").text(reply.place());
    w.key("steps").array([&] {
      for (const pb::ExplainStep& step : reply.steps())
        w.object([&] {
          w.key("what").text(step.what());
          w.key("detail").text(step.detail());
          w.key("ns").number(step.ns());
        });
    });
  });
  return w.str() + "\n";
}

std::string explain_text(const pb::ExplainReply& reply, const Screen& screen) {
  std::string out = printable(decision(reply)) + "\n";
  std::vector<std::vector<std::string>> rows;
  bool timed = false;
  for (const pb::ExplainStep& step : reply.steps()) {
    if (is_refusal(step)) continue;
    timed = timed || step.ns() != 0;
    rows.push_back(
        {std::to_string(rows.size() + 1), step.what(), step.detail(), duration(step.ns())});
  }
  if (rows.empty()) return out;
  std::vector<Column> columns{
      {"", Align::right}, {"STEP"}, {"WHAT HAPPENS", Align::left, true}, {"TIME", Align::right}};
  if (!timed) {
    columns.pop_back();
    for (std::vector<std::string>& row : rows) row.pop_back();
  }
  return out + "\n" + layout(columns, rows, screen.width);
}

}  // namespace sluice::cli
