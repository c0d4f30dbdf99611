#include "ui/cli/completion.h"

#include <algorithm>

namespace sluice::cli {
namespace {

using Commands = std::vector<OutlineCommand>;

std::string join(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

/// In single quotes, for any of the shells.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

/// zsh's _describe splits at colons.
std::string described(const std::string& word, std::string_view description) {
  std::string out;
  for (const char c : word + "\1" + std::string(description)) {
    if (c == ':')
      out += "\\:";
    else
      out += c == '\1' ? ':' : c;
  }
  return quoted(out);
}

/// Options that may stand after `command`: its own and those of `sluice`.
std::vector<OutlineOption> options_at(const Commands& all, const OutlineCommand& command) {
  std::vector<OutlineOption> out;
  for (const OutlineOption& option : command.options)
    if (!option.positional) out.push_back(option);
  if (!command.path.empty())
    for (const OutlineOption& option : all.front().options) out.push_back(option);
  out.push_back(
      {{"--help", "-h"}, false, false, false, Takes::nothing, "", {}, "Say how it is used"});
  return out;
}

/// An option that takes a value, and the words before that value: a `case` pattern for both shells.
struct ValueCase {
  OutlineOption option;
  std::string pattern;
};

/// "' explain --from'" or, for any command, "*' --file'|*' -f'".
std::string value_pattern(const OutlineOption& option, const std::string& path) {
  const std::string before = path.empty() ? "*' " : "' " + path + " ";
  std::vector<std::string> parts;
  for (const std::string& name : option.names)
    parts.push_back(std::string(before).append(name).append("'"));
  return join(parts, "|");
}

/// Every option that takes a value, once. Where one takes something else than the first of its
/// name, its command stands in the pattern, and before the general one.
std::vector<ValueCase> value_cases(const Commands& all) {
  std::vector<ValueCase> special, general;
  for (const OutlineCommand& command : all)
    for (const OutlineOption& option : command.options) {
      if (option.positional || option.takes == Takes::nothing) continue;
      const auto first = std::ranges::find(
          general, option.names, [](const ValueCase& known) { return known.option.names; });
      if (first == general.end())
        general.push_back({option, value_pattern(option, {})});
      else if (first->option.takes != option.takes || first->option.choices != option.choices)
        special.push_back({option, value_pattern(option, command.path)});
    }
  special.insert(special.end(), general.begin(), general.end());
  return special;
}

const OutlineOption* first_positional(const OutlineCommand& command) {
  const auto found = std::ranges::find(command.options, true, &OutlineOption::positional);
  return found == command.options.end() ? nullptr : &*found;
}

/// `case` pattern of all command paths, each with a blank in front.
std::string path_pattern(const Commands& all) {
  std::vector<std::string> paths;
  for (const OutlineCommand& command : all)
    if (!command.path.empty()) paths.push_back("' " + command.path + "'");
  return join(paths, "|");
}

// --- bash ---

std::string bash_values(const OutlineOption& option) {
  switch (option.takes) {
    case Takes::file:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Takes::directory:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Takes::choice:
      return "COMPREPLY=($(compgen -W " + quoted(join(option.choices, " ")) + " -- \"$cur\"))";
    default:
      return ":";
  }
}

std::string bash_script(const Commands& all) {
  std::string out =
      "# bash completion for sluice\n"
      "_sluice() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} where= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$where ${COMP_WORDS[i]}\" in\n"
      "      " +
      path_pattern(all) +
      ") where=\"$where ${COMP_WORDS[i]}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$where $prev\" in\n";
  for (const ValueCase& value : value_cases(all))
    out += "    " + value.pattern + ") " + bash_values(value.option) + "; return ;;\n";
  out += "  esac\n  case \"$where\" in\n";
  for (const OutlineCommand& command : all) {
    std::vector<std::string> words = command.subcommands;
    for (const OutlineOption& option : options_at(all, command))
      words.insert(words.end(), option.names.begin(), option.names.end());
    const OutlineOption* positional = first_positional(command);
    out += "    " + quoted(command.path.empty() ? "" : " " + command.path) + ")\n";
    if (positional != nullptr && positional->takes != Takes::text)
      out += "      if [[ $cur != -* ]]; then " + bash_values(*positional) + "; return; fi\n";
    out += "      COMPREPLY=($(compgen -W " + quoted(join(words, " ")) + " -- \"$cur\")) ;;\n";
  }
  return out + "  esac\n}\ncomplete -F _sluice sluice\n";
}

// --- zsh ---

std::string zsh_values(const OutlineOption& option) {
  switch (option.takes) {
    case Takes::file:
      return "_files";
    case Takes::directory:
      return "_files -/";
    case Takes::choice:
      return "compadd -- " + join(option.choices, " ");
    default:
      return "_message " + quoted(option.value_name);
  }
}

std::string zsh_script(const Commands& all) {
  std::string out =
      "#compdef sluice\n"
      "_sluice() {\n"
      "  local where='' word\n"
      "  local -a commands options\n"
      "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      "    case \"$where $word\" in\n"
      "      (" +
      path_pattern(all) +
      ") where=\"$where $word\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$where ${words[CURRENT-1]}\" in\n";
  for (const ValueCase& value : value_cases(all))
    out += "    (" + value.pattern + ") " + zsh_values(value.option) + "; return ;;\n";
  out += "  esac\n  case \"$where\" in\n";
  for (const OutlineCommand& command : all) {
    out += "    (" + quoted(command.path.empty() ? "" : " " + command.path) + ")\n";
    std::vector<std::string> entries;
    for (const std::string& name : command.subcommands) {
      const std::string path = command.path.empty() ? name : command.path + " " + name;
      entries.push_back(
          described(name, std::ranges::find(all, path, &OutlineCommand::path)->description));
    }
    out += "      commands=(" + join(entries, " ") + ")\n";
    entries.clear();
    for (const OutlineOption& option : options_at(all, command))
      for (const std::string& name : option.names)
        entries.push_back(described(name, option.description));
    out += "      options=(" + join(entries, " ") + ")\n";
    if (const OutlineOption* positional = first_positional(command))
      out += "      [[ $PREFIX != -* ]] && " + zsh_values(*positional) + "\n";
    out += "      ;;\n";
  }
  return out +
         "  esac\n"
         "  (( ${#commands} )) && _describe -t commands command commands\n"
         "  [[ $PREFIX == -* ]] && _describe -t options option options\n"
         "}\n"
         "if [[ $funcstack[1] == _sluice ]]; then _sluice \"$@\"; else compdef _sluice sluice; "
         "fi\n";
}

// --- fish ---

/// True (in fish) when the command line so far names exactly this command.
std::string fish_condition(const OutlineCommand& command) {
  std::string out;
  if (command.path.empty()) return "__fish_use_subcommand";
  std::string_view rest = command.path;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (!out.empty()) out += "; and ";
    out += "__fish_seen_subcommand_from " + std::string(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  if (!command.subcommands.empty())
    out += "; and not __fish_seen_subcommand_from " + join(command.subcommands, " ");
  return out;
}

std::string fish_option(const std::string& condition, const OutlineOption& option) {
  std::string out = "complete -c sluice";
  if (!condition.empty()) out += " -n " + quoted(condition);
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes == Takes::choice)
    out += " -x -a " + quoted(join(option.choices, " "));
  else if (option.takes == Takes::directory)
    out += " -x -a '(__fish_complete_directories)'";
  else if (option.takes == Takes::file)
    out += " -r -F";
  else if (option.takes == Takes::text)
    out += " -x";
  return out + " -d " + quoted(option.description) + "\n";
}

std::string fish_script(const Commands& all) {
  std::string out = "# fish completion for sluice\ncomplete -c sluice -f\n";
  for (const OutlineCommand& command : all) {
    const std::string condition = fish_condition(command);
    for (const std::string& name : command.subcommands) {
      const std::string path = command.path.empty() ? name : command.path + " " + name;
      const auto child = std::ranges::find(all, path, &OutlineCommand::path);
      out += "complete -c sluice -n " + quoted(condition) + " -a " + name + " -d " +
             quoted(child->description) + "\n";
    }
    for (const OutlineOption& option : command.options) {
      if (!option.positional)
        out += fish_option(command.path.empty() ? "" : condition, option);
      else if (option.takes == Takes::file)
        out += "complete -c sluice -n " + quoted(condition) + " -F\n";
      else if (option.takes == Takes::choice)
        out += "complete -c sluice -n " + quoted(condition) + " -a " +
               quoted(join(option.choices, " ")) + "\n";
    }
  }
  return out + "complete -c sluice -s h -l help -d 'Say how it is used'\n";
}

}  // namespace

std::string completion_script(std::string_view shell, const Commands& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  return fish_script(commands);
}

}  // namespace sluice::cli
