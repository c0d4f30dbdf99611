#include "ui/cli/config_commands.h"

#include <string>
#include <vector>

#include "ui/cli/check_file.h"
#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/terminal.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

std::unexpected<Failure> refused_silently() {
  return std::unexpected(Failure{ExitCode::refused, {}});
}

template <class Range>
std::vector<model::Diagnostic> plain(const Range& diagnostics) {
  std::vector<model::Diagnostic> out;
  for (const pb::Diagnostic& in : diagnostics) {
    model::Diagnostic& d = out.emplace_back();
    d.severity =
        in.severity() == pb::SEVERITY_ERROR ? model::Severity::error : model::Severity::warning;
    d.file = in.file();
    d.line = in.line();
    d.column = in.column();
    d.path = in.path();
    d.problem = in.problem();
    d.remedy = in.remedy();
  }
  return out;
}

Outcome<void> fill(pb::ConfigText& to, const std::string& file) {
  auto text = read_text(file);
  if (!text) return std::unexpected(text.error());
  to.set_file(printable(file));
  to.set_text(std::move(*text));
  return {};
}

template <class Range>
std::string changes_text(const Range& changes) {
  std::string out;
  for (const std::string& change : changes) out += printable(change) + "\n";
  return out;
}

/// Warnings are worth reading, errors end the command; both belong to standard error here.
template <class Reply>
bool complain_of(const Reply& reply, const std::string& file) {
  const std::vector<model::Diagnostic> diagnostics = plain(reply.diagnostics());
  if (!diagnostics.empty()) print_error(diagnostics_text(diagnostics, file));
  return model::has_errors(diagnostics);
}

}  // namespace

Outcome<void> config_check(const Invocation& in) {
  const auto text = read_text(in.file);
  if (!text) return std::unexpected(text.error());
  const std::vector<model::Diagnostic> found = check_text(*text, in.file);
  print(in.json ? diagnostics_json(found) : diagnostics_text(found, in.file));
  if (model::has_errors(found)) return refused_silently();
  return {};
}

Outcome<void> config_diff(Client& client, const Invocation& in) {
  pb::ConfigDiffRequest request;
  if (const auto filled = fill(*request.mutable_config(), in.file); !filled) return filled;
  const auto reply = client.diff(request);
  if (!reply) return std::unexpected(reply.error());
  if (in.json) {
    JsonWriter w;
    w.object([&] { w.key("changes").texts(reply->changes()); });
    print(w.str() + "\n");
  }
  if (complain_of(*reply, in.file)) return refused_silently();
  if (!in.json)
    print(reply->changes_size() == 0 ? "nothing would change\n" : changes_text(reply->changes()));
  return {};
}

Outcome<void> config_apply(Client& client, const Invocation& in) {
  pb::ConfigApplyRequest request;
  request.set_once(in.once);
  request.set_confirm_seconds(in.confirm_s);
  if (const auto filled = fill(*request.mutable_config(), in.file); !filled) return filled;
  const auto reply = client.apply(request);
  if (!reply) return std::unexpected(reply.error());
  if (complain_of(*reply, in.file) || !reply->applied()) {
    complain("the running configuration is as it was");
    return refused_silently();
  }
  std::string said = changes_text(reply->changes()) + "generation " +
                     std::to_string(reply->generation()) + " runs";
  if (in.once)
    said += ", not saved: the next start forgets it";
  else if (in.confirm_s > 0)
    said += ", for " + human_span(std::int64_t{in.confirm_s} * 1000) +
            " only; keep it with `sluice config confirm`";
  else
    said += " and is saved; `sluice status` names the file";
  print(said + "\n");
  return {};
}

Outcome<void> config_confirm(Client& client) {
  const auto reply = client.confirm();
  if (!reply) return std::unexpected(reply.error());
  print("confirmed and saved\n");
  return {};
}

Outcome<void> config_rollback(Client& client, const Invocation& in) {
  const auto reply = client.rollback(in.steps);
  if (!reply) return std::unexpected(reply.error());
  if (complain_of(*reply, "the earlier configuration")) return refused_silently();
  const std::string which = reply->saved_wall_ms() == 0
                                ? "the saved configuration"
                                : "the configuration of " + rfc3339(reply->saved_wall_ms());
  print(changes_text(reply->changes()) + "generation " + std::to_string(reply->generation()) +
        " runs: " + which + "\n");
  return {};
}

}  // namespace sluice::cli
