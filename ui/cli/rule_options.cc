// The definitions of `sluice rules …`.
#include <CLI/CLI.hpp>

#include "proto/common/text.h"
#include "ui/cli/command_line.h"
#include "ui/cli/line_name.h"

namespace sluice::cli {
namespace {

constexpr std::uint32_t kDefaultTop = 10;

std::string check_line(std::string& text) {
  if (parse_line_name(text)) return {};
  return "'" + text + "' names no line; write 12, or ads/3 for a line of the sub-rule list ads";
}

std::string check_count(std::string& text) {
  if (const auto count = parse_number(text, UINT32_MAX); count && *count > 0) return {};
  return "'" + text + "' is not a number of lines";
}

std::string check_asn(std::string& text) {
  if (const auto number = parse_number(text, UINT32_MAX); number && *number > 0) return {};
  return "'" + text + "' is not the number of an autonomous system; write 13335";
}

CLI::Validator checked_by(std::string (*check)(std::string&)) {
  return CLI::Validator(check, "", "");
}

}  // namespace

void CommandLine::define_rules() {
  CLI::App* rules =
      add(*app_, "rules", "Look at rule lines and rule providers, and change them", Command::none);
  rules->require_subcommand(1);

  CLI::App* list =
      add(*rules, "list", "List the lines that are matched, in their order", Command::rules_list);
  list->add_flag("--hits", out_.hits, "Show how many flows each line decided, and when last");
  list->add_option("--list", out_.list, "Only the lines of one list: rules, or a sub-rule list")
      ->type_name("NAME");
  add_json(*list);

  CLI::App* top =
      add(*rules, "top", "Show the lines that decided the most flows", Command::rules_top);
  out_.count = kDefaultTop;
  top->add_option("-n,--count", out_.count, "How many lines (default: 10)")
      ->type_name("N")
      ->check(checked_by(check_count));
  add_json(*top);

  add_json(*add(*rules, "unused",
                "Show the lines that decided no flow since the data plane started",
                Command::rules_unused));
  define_rule_changes(*rules);
  define_rule_providers(*rules);
  define_convert(*rules);
}

void CommandLine::define_rule_changes(CLI::App& rules) {
  const auto with_lines = [&](const char* name, const char* description, Command command) {
    CLI::App* made = add(rules, name, description, command);
    made->add_option("LINE", lines_,
                     "Which ones, as `sluice rules list` numbers them: 12, or ads/3")
        ->type_name("")
        ->required()
        ->check(checked_by(check_line));
    add_json(*made);
  };
  with_lines("disable",
             "Let lines count as not matched until they are enabled or the router is restarted",
             Command::rules_disable);
  with_lines("enable", "Let lines that were disabled match again", Command::rules_enable);
}

void CommandLine::define_rule_providers(CLI::App& rules) {
  add_json(*add(rules, "providers", "List the rule providers: what they hold, how current it is",
                Command::rules_providers));
  CLI::App* update =
      add(rules, "update",
          "Let rule providers and geo files look for newer content now; an interrupt leaves them "
          "at it",
          Command::rules_update);
  update
      ->add_option("NAME", out_.names,
                   "Which ones; geosite, geoip, mmdb and asn are the geo files (default: all)")
      ->type_name("");
  add_json(*update);
}

void CommandLine::define_convert(CLI::App& rules) {
  ConvertWords& words = out_.convert;
  CLI::App* convert =
      add(rules, "convert", "Write a file of rules in another format; needs no running router",
          Command::rules_convert);
  convert->add_option("IN", words.in, "File to read; - for standard input")
      ->type_name("")
      ->required();
  convert->add_option("OUT", words.out, "File to write or replace; - for standard output")
      ->type_name("")
      ->required();
  add_choice(*convert, "--from", words.from,
             {"text", "yaml", "mrs", "srs", "json", "adguard", "hosts", "dat", "mmdb"},
             "Format of IN (default: seen from its start and its name)");
  add_choice(*convert, "--to", words.to, {"text", "yaml", "mrs"},
             "Format of OUT (default: seen from its name)");
  add_choice(*convert, "--behavior", words.behavior, {"domain", "ipcidr", "classical"},
             "What OUT holds (default: what has a form for all entries)");
  CLI::Option* category =
      convert
          ->add_option("--category", words.category,
                       "Which category of a dat file; cn@ads for entries with an attribute")
          ->type_name("NAME");
  CLI::Option* country =
      convert->add_option("--country", words.country, "Which country of an mmdb file")
          ->type_name("CODE")
          ->excludes(category);
  convert->add_option("--asn", words.asn, "Which autonomous system of an mmdb file")
      ->type_name("NUMBER")
      ->check(checked_by(check_asn))
      ->excludes(category)
      ->excludes(country);
}

}  // namespace sluice::cli
