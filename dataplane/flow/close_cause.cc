#include "dataplane/flow/close_cause.h"

#include <string>

#include "proto/common/error_text.h"

namespace sluice::flow {
namespace {

contract::CloseReason reason_unconnected(const Error& error) noexcept {
  switch (error.code) {
    case Errc::no_address:
    case Errc::not_found:
      return contract::CloseReason::no_name;
    case Errc::not_built:
    case Errc::denied:
    case Errc::loop:
    case Errc::cancelled:
      return contract::close_reason_of(error);
    default:
      return contract::CloseReason::connect_failed;
  }
}

}  // namespace

void close_by(Flow& flow, const Error& error) {
  const std::string why = describe(error);
  flow.close_because({contract::close_reason_of(error), why});
}

void close_unconnected(Flow& flow, const Error& error) {
  const std::string why = describe(error);
  flow.close_because({reason_unconnected(error), why});
}

void close_untold(Flow& flow, Error error) {
  error.side = Side::client;
  close_by(flow, error);
}

void close_relayed(Flow& flow, const Relay& relay, const Status& outcome) {
  if (!outcome) return close_by(flow, outcome.error());
  const bool client = relay.first_to_close() == Side::client;
  flow.close_because(
      {client ? contract::CloseReason::client_closed : contract::CloseReason::upstream_closed,
       "ended"});
}

}  // namespace sluice::flow
