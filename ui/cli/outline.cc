#include "ui/cli/outline.h"

#include <CLI/CLI.hpp>

namespace sluice::cli {
namespace {

Takes kind_of(const std::string& value_name, bool has_choices) {
  if (has_choices) return Takes::choice;
  if (value_name == "FILE" || value_name == "IN" || value_name == "OUT") return Takes::file;
  if (value_name == "DIR") return Takes::directory;
  return Takes::text;
}

OutlineOption describe(const CommandLine& line, const CLI::Option& option) {
  OutlineOption out;
  out.positional = option.get_positional();
  out.required = option.get_required();
  out.description = option.get_description();
  out.choices = line.choices(&option);
  if (out.positional) {
    out.names = {option.get_name(true)};
    out.value_name = out.names.front();
    out.repeats = option.get_items_expected_max() > 1;
  } else {
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    if (option.get_items_expected_max() > 0) out.value_name = option.get_type_name();
  }
  if (!out.value_name.empty()) out.takes = kind_of(out.value_name, !out.choices.empty());
  return out;
}

void walk(const CommandLine& line, const CLI::App& app, const std::string& path,
          std::vector<OutlineCommand>& out) {
  OutlineCommand command;
  command.path = path;
  command.description = app.get_description();
  for (const CLI::Option* option : app.get_options())
    if (option != app.get_help_ptr()) command.options.push_back(describe(line, *option));
  const auto children = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* child : children) command.subcommands.push_back(child->get_name());
  out.push_back(std::move(command));
  for (const CLI::App* child : children)
    walk(line, *child, path.empty() ? child->get_name() : path + " " + child->get_name(), out);
}

}  // namespace

std::vector<OutlineCommand> outline(const CommandLine& line) {
  std::vector<OutlineCommand> out;
  walk(line, line.app(), {}, out);
  return out;
}

}  // namespace sluice::cli
