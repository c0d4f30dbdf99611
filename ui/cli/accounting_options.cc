// The definitions of `sluice top`, `stats`, `memory` and of what flows are wanted.
#include <CLI/CLI.hpp>
#include <iterator>

#include "ui/cli/command_line.h"
#include "ui/cli/human.h"
#include "ui/cli/show_stats.h"
#include "ui/cli/top_view.h"

namespace sluice::cli {
namespace {

std::string check_past(std::string& text) {
  if (parse_past(text)) return {};
  return "'" + text + "' is not a time up to ten years; write 12h, 7d or 4w";
}

std::string check_rate(std::string& text) {
  if (parse_bytes(text)) return {};
  return "'" + text + "' is not a number of bytes a second; write 500, 100K or 2M";
}

}  // namespace

void CommandLine::add_flow_filter(CLI::App& command) {
  command
      .add_option("--client", out_.flows.client,
                  "Only of this client: address, prefix, host name or hardware address")
      ->type_name("CLIENT");
  command.add_option("--host", out_.flows.host, "Only to this name and those below it, or address")
      ->type_name("HOST");
  command.add_option("--outbound", out_.flows.outbound, "Only through this proxy or group")
      ->type_name("NAME");
  command
      .add_option("--rule", out_.flows.rule,
                  "Only decided by this line, as it is written, or by its type or payload")
      ->type_name("RULE");
  command
      .add_option("--min-rate", min_rate_,
                  "Only as fast as this, in bytes a second, both ways together (500, 100K, 2M)")
      ->type_name("RATE")
      ->check(CLI::Validator(check_rate, "", ""));
}

void CommandLine::define_accounting() {
  CLI::App* top =
      add(*app_, "top",
          "Show the busiest flows, live: r, t, a, c and h sort, i inverts, p pauses, / searches, "
          "arrows scroll, q ends; one table when there is no terminal",
          Command::top);
  add_choice(*top, "--sort", out_.sort, {std::begin(kTopWords), std::end(kTopWords)},
             "What stands on top (default: rate)");
  add_flow_filter(*top);
  add_json(*top);

  CLI::App* stats = add(
      *app_, "stats", "Show what was carried, since the first start or for a time", Command::stats);
  add_choice(*stats, "--by", out_.by, {std::begin(kStatsWords), std::end(kStatsWords)},
             "What the rows are (default: host)");
  stats
      ->add_option("--since", since_,
                   "Only what was carried in the last time (12h, 7d, 4w); whole hours, whole days "
                   "(UTC) where only those are kept")
      ->type_name("TIME")
      ->check(CLI::Validator(check_past, "", ""));
  stats->add_option("-n,--rows", out_.rows, "How many rows; the rest is added up as other")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  CLI::Option* csv = stats->add_flag("--csv", out_.csv, "Print CSV for spreadsheets");
  stats->add_flag("--json", out_.json, "Print JSON for programs")->excludes(csv);

  add_json(*add(*app_, "memory",
                "Show each pool and cache of both planes: what it holds, its bound, and what "
                "becomes of whoever finds it full",
                Command::memory));
}

}  // namespace sluice::cli
