#include <vector>

#include "ui/cli/json_writer.h"
#include "ui/cli/show.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

std::string duration(std::uint64_t ns) {
  if (ns < 10'000) return std::to_string(ns) + " ns";
  if (ns < 10'000'000) return std::to_string(ns / 1000) + " µs";
  return std::to_string(ns / 1'000'000) + " ms";
}

std::string decision(const pb::ExplainReply& reply) {
  std::string out;
  if (reply.index() < 0) {
    out = "no rule decides";
  } else {
    out = "rule " + std::to_string(reply.index()) + ": " + reply.rule();
    if (!reply.rule_payload().empty()) out += "," + reply.rule_payload();
  }
  std::string way;
  for (int i = reply.chains_size() - 1; i >= 0; --i)
    way += (way.empty() ? "" : " > ") + reply.chains(i);
  if (!way.empty()) out += " -> " + way;
  for (int i = reply.steps_size(); i-- > 0;)
    if (reply.steps(i).what() == "refused") return out + ", refused: " + reply.steps(i).detail();
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
  if (reply.steps_size() == 0) return out;
  std::vector<std::vector<std::string>> rows;
  for (const pb::ExplainStep& step : reply.steps())
    rows.push_back(
        {std::to_string(rows.size() + 1), step.what(), step.detail(), duration(step.ns())});
  return out + "\n" +
         layout({{"", Align::right},
                 {"STEP"},
                 {"WHAT HAPPENS", Align::left, true},
                 {"TIME", Align::right}},
                rows, screen.width);
}

}  // namespace sluice::cli
