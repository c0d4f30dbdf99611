// cli/command_line.h - the one definition of every command and option.
//
// Parsing, help, shell completion and the man page all read the same CLI11 tree; a new option is
// one line in command_line.cc or, for `rules`, rule_options.cc.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/cli/line_name.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice::cli {

enum class Command : std::uint8_t {
  none,
  run,
  status,
  flows,
  flows_close,
  top,
  stats,
  memory,
  explain,
  select,
  rules_list,
  rules_top,
  rules_unused,
  rules_disable,
  rules_enable,
  rules_providers,
  rules_update,
  rules_convert,
  config_check,
  config_diff,
  config_apply,
  config_confirm,
  config_rollback,
  capture_open,
  log,
  version,
  completion,
  man,
};

/// `rules convert`: formats and behavior as on the command line, empty where none is given.
struct ConvertWords {
  std::string in;  ///< "-" is standard input
  std::string out;
  std::string from;
  std::string to;
  std::string behavior;
  std::string category;
  std::string country;
  std::uint32_t asn = 0;  ///< 0 = none
};

/// Which flows are wanted; empty fields want all.
struct FlowWords {
  std::string client;
  std::string host;
  std::string outbound;
  std::string rule;
  std::uint64_t min_rate = 0;  ///< bytes a second
};

/// What the user asked for; which fields count depends on `command`.
struct Invocation {
  Command command = Command::none;
  std::string run_dir;  ///< empty = the default
  bool json = false;
  std::string file;  ///< configuration
  std::string home;  ///< run, config check; empty = the default
  bool watch = false;
  FlowWords flows;
  std::string sort = "rate";  ///< top: one of kTopWords
  std::string by = "host";    ///< stats: one of kStatsWords
  std::uint32_t since_s = 0;  ///< stats; 0 = all time
  bool csv = false;
  std::uint32_t rows = 0;  ///< stats; 0 = as many as there are
  std::vector<std::uint64_t> ids;
  bool all = false;
  std::string host;
  std::uint16_t port = 0;
  bool udp = false;
  std::string from;
  std::string inbound = "socks5";  ///< one of inbound_words()
  std::string listener;            ///< name of one; empty: none in particular
  std::string protocol;            ///< of the first bytes; empty: not known
  std::string sniffed_host;        ///< that they name; empty: none
  std::string group;
  std::string name;
  bool hits = false;
  std::string list;  ///< "rules", or a sub-rule list; empty = all
  std::uint32_t count = 0;
  std::vector<LineName> lines;
  std::vector<std::string> names;  ///< rule providers; none = all
  ConvertWords convert;
  bool once = false;
  std::uint32_t confirm_s = 0;
  std::uint32_t steps = 1;
  std::string level = "info";  ///< debug, info, warning, error
  bool follow = false;
  std::string shell;
};

/// The command line ended here: text for `to_error` or standard output, and the status.
struct ParseEnd {
  int status = 0;
  bool to_error = false;
  std::string text;
};

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Once per object. `arguments` without the program's name.
  [[nodiscard]] std::expected<Invocation, ParseEnd> parse(std::vector<std::string> arguments);

  [[nodiscard]] const CLI::App& app() const noexcept { return *app_; }
  /// The only values an option takes; empty when it is free.
  [[nodiscard]] const std::vector<std::string>& choices(const CLI::Option* option) const;

 private:
  void define_run();
  void define_views();
  void define_flows();
  void define_accounting();
  void add_flow_filter(CLI::App& command);
  void define_rules();
  void define_rule_changes(CLI::App& rules);
  void define_rule_providers(CLI::App& rules);
  void define_convert(CLI::App& rules);
  void define_config();
  void define_rest();
  CLI::App* add(CLI::App& parent, const char* name, const char* description, Command command);
  void add_json(CLI::App& command);
  CLI::Option* add_choice(CLI::App& command, const char* name, std::string& to,
                          std::vector<std::string> values, const char* description);

  Invocation out_;
  std::string target_, network_ = "tcp", confirm_, since_, min_rate_;
  std::vector<std::string> lines_;
  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;
};

/// How a flow comes in, as `explain --inbound` takes it, in the order of management.proto.
[[nodiscard]] const std::vector<std::string>& inbound_words();

/// Examples of the man page and the help's end: command and what it does.
struct Example {
  const char* line;
  const char* what;
};
[[nodiscard]] const std::vector<Example>& examples();

}  // namespace sluice::cli
