#include "ui/cli/man_page.h"

#include <algorithm>
#include <string_view>

#include "ui/cli/exit_code.h"

namespace sluice::cli {
namespace {

/// Backslashes and hyphens mean something to roff, a dot or quote only at the start of a line.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string usage_of(const OutlineOption& option) {
  if (option.positional) {
    const std::string value = italic(option.value_name) + (option.repeats ? " ..." : "");
    return option.required ? value : "[" + value + "]";
  }
  std::string out = bold(option.names.front());
  if (!option.value_name.empty()) out += " " + italic(option.value_name);
  return option.required ? out : "[" + out + "]";
}

std::string synopsis(const OutlineCommand& command) {
  std::string out = bold(command.path.empty() ? "sluice" : "sluice " + command.path);
  for (const OutlineOption& option : command.options) out += " " + usage_of(option);
  return out;
}

void add_option(std::string& out, const OutlineOption& option) {
  out += ".TP\n";
  if (option.positional) {
    out += italic(option.value_name) + "\n";
  } else {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
    out += names + (option.value_name.empty() ? "" : " " + italic(option.value_name)) + "\n";
  }
  out += roff(option.description) + ".\n";
}

void add_command(std::string& out, const OutlineCommand& command) {
  out += ".SS " + synopsis(command) + "\n" + roff(command.description) + ".\n";
  for (const OutlineOption& option : command.options) add_option(out, option);
}

void add_code(std::string& out, int code, std::string_view text) {
  out += ".TP\n" + bold(std::to_string(code)) + "\n" + roff(text) + ".\n";
}

void add_files(std::string& out) {
  struct File {
    std::string_view path, what;
  };
  static constexpr File kFiles[] = {
      {"/run/sluice/cp/manage.sock",
       "The router's socket (below --run-dir): for root, its own user and members of the group "
       "sluice."},
      {"/var/lib/sluice/history",
       "The last five configurations that were replaced (below --home)."},
  };
  out += ".SH FILES\n";
  for (const File& file : kFiles)
    out += ".TP\n" + italic(file.path) + "\n" + roff(file.what) + "\n";
}

}  // namespace

std::string man_page(const std::vector<OutlineCommand>& commands) {
  const OutlineCommand& self = commands.front();
  std::string out = ".TH SLUICE 1 \"\" \"Sluice " SLUICE_VERSION "\" \"User commands\"\n";
  out += ".SH NAME\nsluice \\- rule\\-driven proxy gateway and its command line\n";
  out += ".SH SYNOPSIS\n" + synopsis(self) + " " + italic("COMMAND") + " ...\n";
  out += ".SH DESCRIPTION\n" + roff(self.description) +
         ".\nThe commands talk to a running router on its socket; those that say so need none.\n";
  out += ".SH OPTIONS\n";
  for (const OutlineOption& option : self.options) add_option(out, option);
  out += ".SH COMMANDS\n";
  for (const OutlineCommand& command : commands)
    if (!command.path.empty() && (command.subcommands.empty() || !command.options.empty()))
      add_command(out, command);
  out += ".SH EXIT STATUS\n";
  for (const ExitMeaning& meaning : kExitMeanings)
    add_code(out, static_cast<int>(meaning.code), meaning.text);
  out += ".SS Of sluice run\n";
  for (const RunExitMeaning& meaning : kRunExitMeanings)
    add_code(out, to_int(meaning.code), meaning.text);
  add_files(out);
  out += ".SH EXAMPLES\n";
  for (const Example& example : examples())
    out += ".TP\n" + bold(example.line) + "\n" + roff(example.what) + ".\n";
  return out;
}

}  // namespace sluice::cli
