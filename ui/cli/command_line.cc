#include "ui/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "proto/common/address.h"
#include "proto/common/text.h"
#include "ui/cli/exit_code.h"
#include "ui/cli/human.h"

namespace sluice::cli {
namespace {

constexpr const char* kRunDirHelp =
    "Run directory of the router (default: /run/sluice for root, else $XDG_RUNTIME_DIR/sluice, "
    "without that one $XDG_STATE_HOME/sluice/run; where none runs, commands ask root's)";

std::string check_target(std::string& text) {
  const Result<HostPort> split = split_host_port(text);
  if (split && split->port != 0 && !split->host.empty()) return {};
  const std::size_t port_at = text.rfind(':') + 1;
  const bool number = text.find_first_not_of("0123456789", port_at) == std::string::npos;
  if (port_at != 0 && port_at < text.size() && number &&
      split_host_port(text.substr(0, port_at) + "1"))
    return "'" + text + "' has no port from 1 to 65535";
  return "'" + text + "' is not HOST:PORT; write example.com:443 or [2001:db8::1]:443";
}

/// CLI11 reads numbers with strtoull, which takes "-1".
std::string check_id(std::string& text) {
  if (parse_number(text)) return {};
  return "'" + text + "' is not a number; `sluice flows` shows them";
}

std::string check_address(std::string& text) {
  if (IpAddress::parse(text)) return {};
  return "'" + text + "' is not an address; write 192.168.1.20 or fd00::20";
}

std::string check_span(std::string& text) {
  if (parse_span(text)) return {};
  return "'" + text + "' is not a time up to a day; write 60s, 5m or 2h";
}

/// CLI11's own text for "unknown subcommand", without its advice to run with --help twice.
std::string error_text(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* last = &app;
  std::string name = app.get_name();
  for (;;) {
    const auto used = last->get_subcommands();
    if (used.empty()) break;
    last = used.front();
    name += " " + last->get_name();
  }
  // CLI11 misses a subcommand before it looks at the word that should have been one.
  std::string what = error.what();
  const auto rest = app.remaining(true);
  if (!rest.empty() && rest.front().starts_with('-'))
    what = "`" + name + "` has no option " + rest.front();
  else if (!rest.empty() && last->get_require_subcommand_min() > 0)
    what = "there is no command '" + rest.front() + "'";
  else if (last->get_require_subcommand_min() > 0)
    what = "`" + name + "` needs a command after it";
  return "sluice: " + what + "\nTry `" + name + " --help`.\n";
}

}  // namespace

const std::vector<std::string>& inbound_words() {
  static const std::vector<std::string> list{"http",  "https",  "socks4", "socks5",
                                             "redir", "tproxy", "inner"};
  return list;
}

const std::vector<Example>& examples() {
  static const std::vector<Example> list{
      {"sluice run -f config.yaml", "start the router in the foreground"},
      {"sluice flows --watch", "watch what flows through it"},
      {"sluice top --client phone", "see what a device does now"},
      {"sluice stats --by client --since 7d", "see what each device carried in a week"},
      {"sluice explain example.com:443 --from 192.168.1.20", "see which rule decides, and why"},
      {"sluice rules unused", "find lines that decide nothing"},
      {"sluice rules convert ads.txt ads.mrs", "make a smaller file of a list of names"},
      {"sluice config apply new.yaml --confirm 60s",
       "try a configuration; without `sluice config confirm` in time it is taken back"},
      {"sluice flows --json | jq '.connections[].metadata.host'", "use it in scripts"},
  };
  return list;
}

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>(
          "Turns this machine into a rule-driven proxy gateway, and looks after a running one",
          "sluice")) {
  app_->require_subcommand(1);
  app_->fallthrough();  // inherited: --run-dir is taken before and after a command
  app_->set_help_flag("-h,--help", "Say how it is used and end");
  app_->add_option("--run-dir", out_.run_dir, kRunDirHelp)->type_name("DIR");
  define_run();
  define_views();
  define_flows();
  define_accounting();
  define_rules();
  define_config();
  define_rest();
  std::string footer = "Exit status:\n";
  const auto add_code = [&footer](int code, std::string_view text) {
    footer += "  " + std::to_string(code) + "  " + std::string(text) + "\n";
  };
  for (const ExitMeaning& meaning : kExitMeanings)
    add_code(static_cast<int>(meaning.code), meaning.text);
  footer += "\nExit status of `sluice run`:\n";
  for (const RunExitMeaning& meaning : kRunExitMeanings)
    add_code(to_int(meaning.code), meaning.text);
  footer += "\nExamples:\n";
  for (const Example& example : examples())
    footer += "  " + std::string(example.line) + "\n      " + example.what + "\n";
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

CLI::App* CommandLine::add(CLI::App& parent, const char* name, const char* description,
                           Command command) {
  CLI::App* made = parent.add_subcommand(name, description);
  // Inner commands end first and outer ones later: the innermost one counts.
  if (command != Command::none)
    made->callback([this, command] {
      if (out_.command == Command::none) out_.command = command;
    });
  return made;
}

void CommandLine::add_json(CLI::App& command) {
  command.add_flag("--json", out_.json, "Print JSON for programs");
}

CLI::Option* CommandLine::add_choice(CLI::App& command, const char* name, std::string& to,
                                     std::vector<std::string> values, const char* description) {
  CLI::Option* option = command.add_option(name, to, description);
  std::string shown;
  for (const std::string& value : values) shown += (shown.empty() ? "" : "|") + value;
  const std::string wanted = shown;
  option->type_name(shown)->check(CLI::Validator(
      [values, wanted](std::string& text) {
        for (const std::string& value : values)
          if (value == text) return std::string();
        return "'" + text + "' is not one of " + wanted;
      },
      "", ""));
  choices_[option] = std::move(values);
  return option;
}

void CommandLine::define_run() {
  CLI::App* run =
      add(*app_, "run",
          "Start the router and keep it running, in the foreground; SIGHUP loads the file again, "
          "SIGTERM and Ctrl-C drain and stop",
          Command::run);
  run->add_option("-f,--file", out_.file, "Configuration, Clash/Mihomo YAML")
      ->type_name("FILE")
      ->required();
  run->add_option("--home", out_.home,
                  "Where state is kept and relative paths of the configuration start (default: "
                  "/var/lib/sluice for root, else $XDG_STATE_HOME/sluice)")
      ->type_name("DIR");
}

void CommandLine::define_views() {
  add_json(
      *add(*app_, "status", "Show both planes, listeners, groups and totals", Command::status));

  CLI::App* explain = add(
      *app_, "explain", "Say which rule would decide a flow, and where it is written, step by step",
      Command::explain);
  explain->add_option("HOST:PORT", target_, "Where the flow would go")
      ->type_name("")
      ->required()
      ->check(CLI::Validator(check_target, "", ""));
  add_choice(*explain, "--network", network_, {"tcp", "udp"}, "Kind of flow (default: tcp)");
  explain->add_option("--from", out_.from, "Address of the client (default: 127.0.0.1)")
      ->type_name("IP")
      ->check(CLI::Validator(check_address, "", ""));
  add_choice(*explain, "--inbound", out_.inbound, inbound_words(),
             "How it comes in, for IN-TYPE rules (default: socks5)");
  explain
      ->add_option("--listener", out_.listener,
                   "Listener that it comes by: its proxy, rule list, port and type count")
      ->type_name("NAME");
  add_choice(*explain, "--protocol", out_.protocol,
             {"tls", "http", "quic", "dtls", "stun", "bittorrent"},
             "What its first bytes would say that it speaks");
  explain
      ->add_option("--sniffed-host", out_.sniffed_host,
                   "Host that its first bytes would name, for the sniffer")
      ->type_name("NAME");
  add_json(*explain);

  CLI::App* select =
      add(*app_, "select", "Choose the member of a group that new flows use", Command::select);
  select->add_option("GROUP", out_.group, "Name of a select group")->type_name("")->required();
  select->add_option("NAME", out_.name, "One of its members")->type_name("")->required();
  add_json(*select);
}

void CommandLine::define_flows() {
  CLI::App* flows = add(*app_, "flows", "List the flows that run now", Command::flows);
  flows->require_subcommand(0, 1);
  flows->add_flag("--watch", out_.watch, "Show them again each second until interrupted");
  add_flow_filter(*flows);
  add_json(*flows);
  CLI::App* close = add(*flows, "close", "End flows", Command::flows_close);
  CLI::Option* ids = close->add_option("ID", out_.ids, "Which ones, as `sluice flows` numbers them")
                         ->type_name("")
                         ->check(CLI::Validator(check_id, "", ""));
  close->add_flag("--all", out_.all, "All of them")->excludes(ids);
  add_json(*close);
}

void CommandLine::define_config() {
  CLI::App* config =
      add(*app_, "config", "Check, compare, apply and take back configurations", Command::none);
  config->require_subcommand(1);
  const auto with_file = [&](const char* name, const char* description, Command command) {
    CLI::App* made = add(*config, name, description, command);
    made->add_option("FILE", out_.file, "Configuration, Clash/Mihomo YAML")
        ->type_name("")
        ->required();
    return made;
  };
  CLI::App* check = with_file(
      "check",
      "Say all that `config apply` would find wrong with a file: asks the router if one runs, else "
      "looks into the home directory that it would have",
      Command::config_check);
  check
      ->add_option("--home", out_.home,
                   "Ask no router; look for lists and geo files in this home directory")
      ->type_name("DIR");
  add_json(*check);
  add_json(
      *with_file("diff", "Say what would change if a file were applied", Command::config_diff));

  CLI::App* apply = with_file(
      "apply",
      "Run a file and save it over the one that `sluice run` was given; running flows go on",
      Command::config_apply);
  CLI::Option* once =
      apply->add_flag("--once", out_.once, "Run it without saving: the next start forgets it");
  apply
      ->add_option("--confirm", confirm_,
                   "Take it back after this long (60s, 5m, 2h) unless confirmed")
      ->type_name("TIME")
      ->check(CLI::Validator(check_span, "", ""))
      ->excludes(once);
  add_json(*apply);

  add(*config, "confirm", "Keep and save what was applied with --confirm", Command::config_confirm);
  CLI::App* rollback =
      add(*config, "rollback", "Go back to an earlier configuration", Command::config_rollback);
  rollback->add_option("N", out_.steps, "How many back, 1 to 5 (default: 1)")
      ->type_name("")
      ->check(CLI::Range(1, 5));
  add_json(*rollback);
}

void CommandLine::define_rest() {
  CLI::App* capture = add(*app_, "capture", "Look after the capture of LAN traffic", Command::none);
  capture->require_subcommand(1);
  add(*capture, "open", "Lift the guard of `when-down: closed`: let the LAN out plainly",
      Command::capture_open);

  CLI::App* log = add(*app_, "log", "Show recent log lines of both planes", Command::log);
  add_choice(*log, "--level", out_.level, {"debug", "info", "warning", "warn", "error"},
             "The least level shown; warn means warning (default: info)");
  log->add_flag("--follow", out_.follow, "Go on with new lines until interrupted");
  add_json(*log);

  add_json(*add(*app_, "version", "Show the versions of this command and of the router",
                Command::version));
  CLI::App* completion =
      add(*app_, "completion", "Print a completion script for a shell", Command::completion);
  add_choice(*completion, "SHELL", out_.shell, {"bash", "zsh", "fish"}, "Which shell")->required();
  add(*app_, "man", "Print the manual page (roff)", Command::man);
}

const std::vector<std::string>& CommandLine::choices(const CLI::Option* option) const {
  static const std::vector<std::string> none;
  const auto found = choices_.find(option);
  return found == choices_.end() ? none : found->second;
}

std::expected<Invocation, ParseEnd> CommandLine::parse(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(arguments));
    if (out_.command == Command::flows_close && out_.ids.empty() && !out_.all)
      throw CLI::ValidationError("name the flows to close by ID, or use --all");
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(ParseEnd{0, false, app_->help()});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(
        ParseEnd{static_cast<int>(ExitCode::usage), true, error_text(*app_, error)});
  }
  if (const Result<HostPort> target = split_host_port(target_); target && !target_.empty()) {
    out_.host = std::string(target->host);
    out_.port = target->port;
  }
  out_.udp = network_ == "udp";
  if (out_.level == "warn") out_.level = "warning";
  for (const std::string& line : lines_)
    if (Result<LineName> name = parse_line_name(line)) out_.lines.push_back(std::move(*name));
  if (!since_.empty()) out_.since_s = parse_past(since_).value_or(0);
  if (!min_rate_.empty()) out_.flows.min_rate = parse_bytes(min_rate_).value_or(0);
  if (!confirm_.empty()) out_.confirm_s = parse_span(confirm_).value_or(0);
  return out_;
}

}  // namespace sluice::cli
