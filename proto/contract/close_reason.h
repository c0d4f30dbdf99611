// contract/close_reason.h - why a flow ended: a fixed vocabulary, shown as it is spelled here.
//
//   client-closed        the client sent its end of stream first; the rest came in order
//   upstream-closed      the other side did
//   reset-by-client      the client's side broke off (RST, or its machine became unreachable)
//   reset-by-upstream    the other side did
//   timeout              silent for longer than the limit of its state
//   refused              a rule or a listener sends it to REJECT, or asks for our own listener
//   not-built            its proxy is of a type that is not built in
//   no-name              the name it asked for has no address, or nobody answered
//   connect-failed       no upstream could be reached in time, or it would not have us
//   protocol-error       one side said what its protocol forbids
//   closed-by-user       `sluice flows close`, a dashboard
//   outbound-removed     its outbound or listener is not in the configuration any more
//   address-lost         this machine lost the address it spoke from
//   memory               a bound on memory or table places was reached
//   stopped              the data plane stopped
//   failed               a fault of ours; the sentence says which
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/common/result.h"

namespace sluice::contract {

/// `none`: the flow still runs.
enum class CloseReason : std::uint8_t {
  none,
  client_closed,
  upstream_closed,
  reset_by_client,
  reset_by_upstream,
  timeout,
  refused,
  not_built,
  no_name,
  connect_failed,
  protocol_error,
  closed_by_user,
  outbound_removed,
  address_lost,
  memory,
  stopped,
  failed,
};
inline constexpr std::size_t kCloseReasons = 17;

[[nodiscard]] constexpr std::string_view text_of(CloseReason reason) noexcept {
  constexpr std::array<std::string_view, kCloseReasons> kTexts{
      "",
      "client-closed",
      "upstream-closed",
      "reset-by-client",
      "reset-by-upstream",
      "timeout",
      "refused",
      "not-built",
      "no-name",
      "connect-failed",
      "protocol-error",
      "closed-by-user",
      "outbound-removed",
      "address-lost",
      "memory",
      "stopped",
      "failed",
  };
  return kTexts[static_cast<std::size_t>(reason)];
}

/// Of a flow that was open when `error` ended it.
[[nodiscard]] constexpr CloseReason close_reason_of(const Error& error) noexcept {
  const bool client = error.side == Side::client;
  switch (error.code) {
    case Errc::timeout:
      return CloseReason::timeout;
    case Errc::reset:
    case Errc::closed:
    case Errc::unreachable:
      return client ? CloseReason::reset_by_client : CloseReason::reset_by_upstream;
    case Errc::malformed:
    case Errc::truncated:
    case Errc::bad_tag:
    case Errc::unsupported:
      return CloseReason::protocol_error;
    case Errc::no_room:
      return CloseReason::memory;
    case Errc::cancelled:
      return CloseReason::stopped;
    case Errc::denied:
    case Errc::loop:
      return CloseReason::refused;
    case Errc::not_built:
      return CloseReason::not_built;
    default:
      return CloseReason::failed;
  }
}

}  // namespace sluice::contract
