#include "ui/cli/commands.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "proto/common/clock.h"
#include "ui/cli/check_file.h"
#include "ui/cli/client.h"
#include "ui/cli/completion.h"
#include "ui/cli/config_commands.h"
#include "ui/cli/convert/convert_files.h"
#include "ui/cli/exit_code.h"
#include "ui/cli/flow_commands.h"
#include "ui/cli/human.h"
#include "ui/cli/lift_guard.h"
#include "ui/cli/man_page.h"
#include "ui/cli/outline.h"
#include "ui/cli/raw_terminal.h"
#include "ui/cli/rule_commands.h"
#include "ui/cli/run_dir.h"
#include "ui/cli/show.h"
#include "ui/cli/start_router.h"
#include "ui/cli/stats_commands.h"
#include "ui/cli/terminal.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

using Done = Outcome<void>;

Done status(Client& client, const Invocation& in) {
  const auto reply = client.status();
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? status_json(*reply) : status_text(*reply, screen_now()));
  return {};
}

pb::InboundType inbound_of(const std::string& word) {
  static_assert(pb::INBOUND_HTTP == 0 && pb::InboundType_ARRAYSIZE == 7);
  const auto& words = inbound_words();
  return static_cast<pb::InboundType>(std::ranges::find(words, word) - words.begin());
}

Done explain(Client& client, const Invocation& in) {
  pb::ExplainRequest request;
  request.set_host(in.host);
  request.set_port(in.port);
  request.set_network(in.udp ? pb::NETWORK_UDP : pb::NETWORK_TCP);
  request.set_source(in.from);
  request.set_inbound_type(inbound_of(in.inbound));
  request.set_listener(in.listener);
  request.set_protocol(in.protocol);
  request.set_sniffed_host(in.sniffed_host);
  const auto reply = client.explain(request);
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? explain_json(*reply) : explain_text(*reply, screen_now()));
  return {};
}

Done select(Client& client, const Invocation& in) {
  pb::SelectRequest request;
  request.set_group(in.group);
  request.set_name(in.name);
  const auto reply = client.select(request);
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? selected_json(request)
                : printable(in.group) + " now uses " + printable(in.name) + "\n");
  return {};
}

/// Works without a router too: a guard that a dead one left is what people want lifted.
Done capture_open(const std::string& run_dir) {
  Outcome<Client> client = Client::connect(run_dir);
  const auto reply = client ? client->capture_open()
                            : Outcome<pb::CaptureOpenReply>(std::unexpected(client.error()));
  if (reply) {
    print(reply->was_closed()
              ? "the guard is lifted: LAN traffic passes plainly while the data plane "
                "is away\n"
              : "there was no guard to lift\n");
    return {};
  }
  Failure why = reply.error();
  if (why.code != ExitCode::no_router && why.code != ExitCode::unavailable)
    return std::unexpected(std::move(why));
  if (::geteuid() != 0) {
    why.text += "; root can lift the guard without a router";
    return std::unexpected(std::move(why));
  }
  if (Done lifted = lift_guard(); !lifted) return lifted;
  print("no guard is left: LAN traffic passes plainly until the router is back\n");
  return {};
}

Done log(Client& client, const Invocation& in) {
  pb::WatchLogRequest request;
  request.set_follow(in.follow);
  request.set_level(in.level == "debug"     ? pb::LOG_DEBUG
                    : in.level == "warning" ? pb::LOG_WARNING
                    : in.level == "error"   ? pb::LOG_ERROR
                                            : pb::LOG_INFO);
  return client.watch_log(request, [&](const pb::LogBatch& batch) {
    return print(in.json ? log_json(batch) : log_text(batch));
  });
}

/// Works without a router: people ask for versions when something is broken.
int version(const Invocation& in, const std::string& run_dir) {
  Outcome<Client> client = Client::connect(run_dir);
  Outcome<pb::VersionReply> reply =
      client ? client->version() : Outcome<pb::VersionReply>(std::unexpected(client.error()));
  const pb::VersionReply* router = reply ? &*reply : nullptr;
  print(in.json ? version_json(router) : version_text(router));
  return 0;
}

Done ask(Client& client, const Invocation& in) {
  switch (in.command) {
    case Command::status:
      return status(client, in);
    case Command::flows:
      return flows(client, in);
    case Command::flows_close:
      return close_flows(client, in);
    case Command::top:
      return top(client, in);
    case Command::stats:
      return stats(client, in);
    case Command::memory:
      return memory(client, in);
    case Command::explain:
      return explain(client, in);
    case Command::select:
      return select(client, in);
    case Command::rules_list:
      return rules_list(client, in);
    case Command::rules_top:
      return rules_top(client, in);
    case Command::rules_unused:
      return rules_unused(client, in);
    case Command::rules_disable:
    case Command::rules_enable:
      return rules_switch(client, in);
    case Command::rules_providers:
      return rules_providers(client, in);
    case Command::rules_update:
      return rules_update(client, in);
    case Command::config_diff:
      return config_diff(client, in);
    case Command::config_apply:
      return config_apply(client, in);
    case Command::config_confirm:
      return config_confirm(client);
    case Command::config_rollback:
      return config_rollback(client, in);
    case Command::log:
      return log(client, in);
    default:
      return std::unexpected(Failure{ExitCode::usage, "no such command; see `sluice --help`"});
  }
}

int ended(const Failure& failure) {
  if (!failure.text.empty()) complain(printable(failure.text));
  return static_cast<int>(failure.code);
}

int ended(const Done& done) {
  return done ? 0 : ended(done.error());
}

}  // namespace

int execute(const Invocation& in, const CommandLine& line) {
  const std::string run_dir = find_run_dir(in.run_dir, Surroundings::of_process());
  switch (in.command) {
    case Command::run:
      return ended(start_router(in));
    case Command::version:
      return version(in, run_dir);
    case Command::completion:
      print(completion_script(in.shell, outline(line)));
      return 0;
    case Command::man:
      print(man_page(outline(line)));
      return 0;
    case Command::config_check:
      return ended(config_check(in, run_dir));
    case Command::rules_convert:
      return ended(convert_files(in.convert));
    case Command::capture_open:
      return ended(capture_open(run_dir));
    default:
      break;
  }
  if (in.command == Command::top && !in.json) RawTerminal::block_signals();
  Outcome<Client> client = Client::connect(run_dir);
  if (!client) return ended(client.error());
  return ended(ask(*client, in));
}

}  // namespace sluice::cli
