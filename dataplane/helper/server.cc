#include "dataplane/helper/server.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include "dataplane/helper/capture_rules.h"
#include "dataplane/helper/guard_rules.h"
#include "dataplane/helper/probe.h"
#include "proto/common/log.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::nft {

namespace {

std::string lacks(const std::string& feature) {
  return "this kernel lacks " + feature;
}

std::string explain(Command command, const Outcome& outcome) {
  if (command == Command::probe) return lacks(outcome.where);
  const bool about_table = outcome.where == "owned table" || outcome.where == "table to remove";
  if (about_table && outcome.error == EPERM) return "another process owns table inet sluice";
  return outcome.where + ": " + std::strerror(outcome.error);
}

/// A command, what `run` thinks of it, the next. `frame` has room for a request.
template <class Run>
Status serve_commands(int peer, ByteSpan frame, const Run& run) {
  for (;;) {
    const Result<ReceivedMessage> message = receive_message(peer, frame);
    if (!message) return fail(message.error());
    if (message->size == 0) return {};
    const Result<Request> request = decode_request(ByteView(frame).first(message->size));
    // The peer is the data plane of the same build: a bad frame means that it is broken or taken
    // over, and the safe state is without us.
    if (!request) return fail(request.error());
    const Verdict verdict = run(*request);
    std::array<std::byte, 64 + kMaxVerdictText> wire;
    Writer out{wire};
    encode_verdict(verdict, out);
    if (Status s = send_message(peer, out.written()); !s) return s;
  }
}

}  // namespace

Status serve_without_netfilter(int peer) {
  std::vector<std::byte> frame(kMaxFrameBytes);
  return serve_commands(peer, frame, [](const Request& request) {
    return Verdict{request.command, request.id, EPROTONOSUPPORT, lacks("nf_tables")};
  });
}

Outcome Server::apply(const CaptureTable& table) {
  Transaction out(batch_);
  build_capture_table(out, table);
  if (table.fail_closed) build_guard(out, table);
  const Outcome outcome = out.commit(socket_);
  if (outcome.error == 0) applied_ = table;
  return outcome;
}

Outcome Server::redirect_dns(bool on) {
  if (!applied_ || (on && !applied_->dns_hijack)) return {EINVAL, "no table with a DNS hijack"};
  Transaction out(batch_);
  rebuild_dns_chain(out, *applied_, on);
  const Outcome outcome = out.commit(socket_);
  if (outcome.error == 0) applied_->dns_redirect = on;
  return outcome;
}

Outcome Server::change_elements(const SetElements& elements, bool remove) {
  Transaction out(batch_);
  for (const Family family : {Family::v4, Family::v6}) {
    const SetRef set{set_name(elements.set, family), 0};
    if (elements.set == SetId::prefixes)
      out.change_prefixes(kTableName, set, family, elements.prefixes, remove);
    else
      out.change_addresses(kTableName, set, family, elements.prefixes, remove);
  }
  return out.commit(socket_);
}

Outcome Server::remove_table(const char* name) {
  Transaction out(batch_);
  out.delete_table(name);
  const Outcome outcome = out.commit(socket_);
  if (outcome.error == ENOENT) return {};
  return outcome;
}

Verdict Server::run(const Request& request) {
  Outcome outcome;
  switch (request.command) {
    case Command::probe:
      outcome = probe_kernel(socket_, batch_);
      break;
    case Command::apply:
      outcome = apply(request.table);
      break;
    case Command::dns_redirect:
      outcome = redirect_dns(request.dns_redirect);
      break;
    case Command::add_elements:
      outcome = change_elements(request.elements, false);
      break;
    case Command::remove_elements:
      outcome = change_elements(request.elements, true);
      break;
    case Command::remove_guard:
      outcome = remove_table(kGuardTableName);
      break;
    case Command::cleanup:
    case Command::tear_down:
      outcome = remove_table(kTableName);
      if (outcome.error == 0) applied_.reset();
      break;
  }
  Verdict verdict{request.command, request.id, outcome.error, {}};
  if (outcome.error != 0) verdict.text = explain(request.command, outcome);
  return verdict;
}

Status Server::serve(int peer) {
  return serve_commands(peer, frame_, [this](const Request& request) { return run(request); });
}

}  // namespace sluice::nft
