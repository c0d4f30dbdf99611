#include "dataplane/kernel/helper_client.h"

#include <algorithm>
#include <array>
#include <vector>

#include "dataplane/kernel/kill_helper.h"
#include "dataplane/kernel/limits.h"
#include "proto/runtime/process/descriptors.h"

namespace sluice::kernel {

Result<nft::Verdict> HelperClient::await_verdict(std::uint32_t id, Moment deadline) {
  const Millis left = deadline - monotonic_now();
  const auto wait = static_cast<int>(std::max<std::int64_t>(left.count, 0));
  if (Status s = wait_readable(socket_.get(), wait); !s) return fail(s.error());
  std::array<std::byte, 64 + nft::kMaxVerdictText> room{};
  const Result<ReceivedMessage> message = receive_message(socket_.get(), room);
  if (!message) return fail(message.error());
  if (message->size == 0) return fail(Errc::closed);
  const Result<nft::Verdict> verdict = nft::decode_verdict(ByteView(room).first(message->size));
  if (verdict && verdict->id != id) return fail(Errc::malformed);
  return verdict;
}

Status HelperClient::ask(nft::Request request, Refusal& why) {
  if (lost_) return fail(Errc::closed);
  request.id = next_id_++;
  std::vector<std::byte> room(nft::kMaxFrameBytes);
  Writer out{room};
  nft::encode_request(request, out);
  if (out.overflow()) return fail(Errc::too_large);
  Status sent = send_message(socket_.get(), out.written());
  const Result<nft::Verdict> verdict =
      sent ? await_verdict(request.id, monotonic_now() + kCommandTimeout)
           : Result<nft::Verdict>(fail(sent.error()));
  if (!verdict) {
    lost_ = true;
    why = {verdict.error().sys, "sluice-nft does not answer"};
    return fail(verdict.error());
  }
  if (verdict->error == 0) return {};
  why = {verdict->error, std::string(nft::to_text(request.command)) + ": " + verdict->text};
  return fail(Errc::denied, Side::us, verdict->error);
}

Status HelperClient::ask(nft::Command command, Refusal& why) {
  nft::Request request;
  request.command = command;
  return ask(std::move(request), why);
}

void HelperClient::kill() noexcept {
  kill_helper(socket_.get(), pid_);
}

Status HelperClient::probe(Refusal& why) {
  return ask(nft::Command::probe, why);
}
Status HelperClient::remove_guard(Refusal& why) {
  return ask(nft::Command::remove_guard, why);
}
Status HelperClient::cleanup(Refusal& why) {
  return ask(nft::Command::cleanup, why);
}
Status HelperClient::tear_down(Refusal& why) {
  return ask(nft::Command::tear_down, why);
}

Status HelperClient::apply(const nft::CaptureTable& table, Refusal& why) {
  nft::Request request;
  request.command = nft::Command::apply;
  request.table = table;
  return ask(std::move(request), why);
}

Status HelperClient::set_dns_redirect(bool on, Refusal& why) {
  nft::Request request;
  request.command = nft::Command::dns_redirect;
  request.dns_redirect = on;
  return ask(std::move(request), why);
}

Status HelperClient::change(nft::Command command, nft::SetId set, std::span<const Prefix> prefixes,
                            Refusal& why) {
  while (!prefixes.empty()) {
    const std::size_t count = std::min(prefixes.size(), nft::kMaxElements);
    nft::Request request;
    request.command = command;
    request.elements.set = set;
    request.elements.prefixes.assign(prefixes.begin(),
                                     prefixes.begin() + static_cast<std::ptrdiff_t>(count));
    if (Status s = ask(std::move(request), why); !s) return s;
    prefixes = prefixes.subspan(count);
  }
  return {};
}

Status HelperClient::add(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why) {
  return change(nft::Command::add_elements, set, prefixes, why);
}

Status HelperClient::remove(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why) {
  return change(nft::Command::remove_elements, set, prefixes, why);
}

}  // namespace sluice::kernel
