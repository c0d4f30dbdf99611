#include "ui/cli/config_commands.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "proto/runtime/process/paths.h"
#include "ui/cli/check_at_home.h"
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

/// As the router knows the file: its log names the place long after this directory is left.
std::string known_as(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(file, unknown);
  return printable(unknown ? file : whole.lexically_normal().string());
}

/// Places in `file` are told as the user named it.
template <class Range>
std::vector<model::Diagnostic> plain(const Range& diagnostics, const std::string& file) {
  const std::string known = known_as(file);
  std::vector<model::Diagnostic> out;
  for (const pb::Diagnostic& in : diagnostics) {
    model::Diagnostic& d = out.emplace_back();
    d.severity =
        in.severity() == pb::SEVERITY_ERROR ? model::Severity::error : model::Severity::warning;
    d.file = in.file() == known ? file : in.file();
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
  to.set_file(known_as(file));
  to.set_text(std::move(*text));
  return {};
}

std::string changes_text(const std::vector<std::string>& changes) {
  std::string out;
  for (const std::string& change : changes) out += printable(change) + "\n";
  return out;
}

/// For how long an applied configuration runs.
std::string how_long(const Invocation& in) {
  if (in.once) return ", not saved: the next start forgets it";
  if (in.confirm_s > 0)
    return ", for " + human_span(std::int64_t{in.confirm_s} * 1000) +
           " only; keep it with `sluice config confirm`";
  return " and is saved; `sluice status` names the file";
}

/// What the router said to a change that was asked for.
struct Said {
  std::vector<model::Diagnostic> diagnostics;
  std::vector<std::string> changes;
  std::uint64_t generation = 0;
  bool applied = false;
};

template <class Reply>
Said said_by(const Reply& reply, const std::string& file) {
  Said out;
  out.diagnostics = plain(reply.diagnostics(), file);
  out.changes.assign(reply.changes().begin(), reply.changes().end());
  return out;
}

/// Warnings are worth reading, errors end the command; both belong to standard error.
void complain_of(const Said& said, const std::string& file) {
  if (!said.diagnostics.empty()) print_error(diagnostics_text(said.diagnostics, file));
}

/// For programs everything is in one object on standard output. `more` adds what only this command
/// knows.
template <class More>
void print_json(const Said& said, More more) {
  JsonWriter w;
  w.object([&] {
    more(w);
    w.key("changes").texts(said.changes);
    w.key("diagnostics");
    add_diagnostics(w, said.diagnostics);
  });
  print(w.str() + "\n");
}

void add_outcome(JsonWriter& w, const Said& said) {
  w.key("applied").boolean(said.applied);
  w.key("generation").number(said.generation);
}

/// How a change ends when the router found something wrong with it.
Outcome<void> not_applied(const Said& said, const Invocation& in, const std::string& file) {
  if (!in.json) {
    complain_of(said, file);
    complain("the running configuration is as it was");
  }
  return refused_silently();
}

/// Fails with no_router when there is none that this user may ask.
Outcome<pb::ConfigCheckReply> ask_router(const std::string& run_dir,
                                         const pb::ConfigCheckRequest& request) {
  Outcome<Client> client = Client::connect(run_dir);
  if (!client) return std::unexpected(client.error());
  return client->check(request);
}

}  // namespace

Outcome<void> config_check(const Invocation& in, const std::string& run_dir) {
  pb::ConfigCheckRequest request;
  if (const auto filled = fill(*request.mutable_config(), in.file); !filled) return filled;
  Judge judge{false, run_dir, in.home.empty() ? default_home(::geteuid()) : in.home};
  Outcome<pb::ConfigCheckReply> reply = std::unexpected(Failure{ExitCode::no_router, {}});
  if (in.home.empty()) reply = ask_router(run_dir, request);
  judge.router = reply || reply.error().code != ExitCode::no_router;
  if (!judge.router)
    reply = check_at_home(request.config().text(), request.config().file(), judge.home);
  if (!reply) return std::unexpected(reply.error());
  const std::vector<model::Diagnostic> found = plain(reply->diagnostics(), in.file);
  print(in.json ? check_json(found, judge) : diagnostics_text(found, in.file) + judge_text(judge));
  if (model::has_errors(found)) return refused_silently();
  return {};
}

Outcome<void> config_diff(Client& client, const Invocation& in) {
  pb::ConfigDiffRequest request;
  if (const auto filled = fill(*request.mutable_config(), in.file); !filled) return filled;
  const auto reply = client.diff(request);
  if (!reply) return std::unexpected(reply.error());
  const Said said = said_by(*reply, in.file);
  const bool bad = model::has_errors(said.diagnostics);
  if (in.json)
    print_json(said, [&](JsonWriter& w) { w.key("valid").boolean(!bad); });
  else
    complain_of(said, in.file);
  if (bad) return refused_silently();
  if (!in.json) print(said.changes.empty() ? "nothing would change\n" : changes_text(said.changes));
  return {};
}

Outcome<void> config_apply(Client& client, const Invocation& in) {
  pb::ConfigApplyRequest request;
  request.set_once(in.once);
  request.set_confirm_seconds(in.confirm_s);
  if (const auto filled = fill(*request.mutable_config(), in.file); !filled) return filled;
  const auto reply = client.apply(request);
  if (!reply) return std::unexpected(reply.error());
  Said said = said_by(*reply, in.file);
  said.generation = reply->generation();
  said.applied = reply->applied();
  if (in.json)
    print_json(said, [&](JsonWriter& w) {
      add_outcome(w, said);
      w.key("saved").boolean(said.applied && !in.once && in.confirm_s == 0);
      w.key("confirmSeconds").number(std::uint64_t{said.applied ? in.confirm_s : 0});
    });
  if (!said.applied) return not_applied(said, in, in.file);
  if (in.json) return {};
  complain_of(said, in.file);
  print(changes_text(said.changes) + "generation " + std::to_string(said.generation) + " runs" +
        how_long(in) + "\n");
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
  Said said = said_by(*reply, {});
  said.generation = reply->generation();
  said.applied = !model::has_errors(said.diagnostics);
  const std::string saved_at = rfc3339_or_empty(reply->saved_wall_ms());
  if (in.json)
    print_json(said, [&](JsonWriter& w) {
      add_outcome(w, said);
      w.key("savedAt").text(saved_at);
    });
  constexpr const char* kWhat = "the earlier configuration";
  if (!said.applied) return not_applied(said, in, kWhat);
  if (in.json) return {};
  complain_of(said, kWhat);
  print(changes_text(said.changes) + "generation " + std::to_string(said.generation) + " runs: " +
        (saved_at.empty() ? "the saved configuration" : "the configuration of " + saved_at) + "\n");
  return {};
}

}  // namespace sluice::cli
