// wire/enums.h - enumerations of the contract and their protobuf numbers, as explicit pairs.
//
// Numbers never follow from the order in a header: a reordered C++ enum must not change what an
// older peer reads.
#pragma once

#include "proto/common/log.h"
#include "proto/common/result.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/manifest.h"
#include "proto/contract/memory_report.h"
#include "proto/contract/names.h"
#include "proto/contract/protocol.h"
#include "proto/contract/status.h"
#include "proto/wire/scope.h"
#include "sluice/v1/manifest.pb.h"

namespace sluice::wire {

[[nodiscard]] v1::Network to_wire(Network value) noexcept;
[[nodiscard]] v1::Mode to_wire(contract::Mode value) noexcept;
[[nodiscard]] v1::OutboundKind to_wire(contract::OutboundKind value) noexcept;
[[nodiscard]] v1::IpVersion to_wire(contract::IpVersion value) noexcept;
[[nodiscard]] v1::Cipher to_wire(contract::Cipher value) noexcept;
[[nodiscard]] v1::ListenerKind to_wire(contract::ListenerKind value) noexcept;
[[nodiscard]] v1::CaptureMode to_wire(contract::CaptureMode value) noexcept;
[[nodiscard]] v1::RemovedFlows to_wire(contract::RemovedFlows value) noexcept;
[[nodiscard]] v1::NamePurpose to_wire(contract::NamePurpose value) noexcept;
[[nodiscard]] v1::InboundType to_wire(contract::InboundType value) noexcept;
[[nodiscard]] v1::DnsMode to_wire(contract::DnsMode value) noexcept;
[[nodiscard]] v1::FlowState to_wire(contract::FlowState value) noexcept;
/// none becomes UNSPECIFIED.
[[nodiscard]] v1::Protocol to_wire(contract::Protocol value) noexcept;
[[nodiscard]] v1::CloseReason to_wire(contract::CloseReason value) noexcept;
/// What is not known here is `failed`.
[[nodiscard]] contract::CloseReason close_reason_from_wire(v1::CloseReason value) noexcept;
[[nodiscard]] v1::WhenFull to_wire(contract::WhenFull value) noexcept;
[[nodiscard]] contract::WhenFull when_full_from_wire(v1::WhenFull value) noexcept;
[[nodiscard]] v1::CaptureState to_wire(contract::CaptureState value) noexcept;
/// `silent` becomes UNSPECIFIED: no record has it.
[[nodiscard]] v1::LogLevel to_wire(LogLevel value) noexcept;
/// Several codes share one number; what has none of its own becomes FAILED.
[[nodiscard]] v1::NameError name_error_to_wire(Errc code) noexcept;
[[nodiscard]] Errc name_error_from_wire(v1::NameError value) noexcept;

/// Refused, and `out` unchanged, when the number is unspecified or unknown (a newer peer's).
void from_wire(const Scope& at, const char* field, v1::Network in, Network& out);
void from_wire(const Scope& at, const char* field, v1::Mode in, contract::Mode& out);
void from_wire(const Scope& at, const char* field, v1::OutboundKind in,
               contract::OutboundKind& out);
void from_wire(const Scope& at, const char* field, v1::IpVersion in, contract::IpVersion& out);
void from_wire(const Scope& at, const char* field, v1::Cipher in, contract::Cipher& out);
void from_wire(const Scope& at, const char* field, v1::ListenerKind in,
               contract::ListenerKind& out);
void from_wire(const Scope& at, const char* field, v1::CaptureMode in, contract::CaptureMode& out);
void from_wire(const Scope& at, const char* field, v1::RemovedFlows in,
               contract::RemovedFlows& out);
void from_wire(const Scope& at, const char* field, v1::NamePurpose in, contract::NamePurpose& out);
void from_wire(const Scope& at, const char* field, v1::InboundType in, contract::InboundType& out);
void from_wire(const Scope& at, const char* field, v1::DnsMode in, contract::DnsMode& out);
void from_wire(const Scope& at, const char* field, v1::FlowState in, contract::FlowState& out);
void from_wire(const Scope& at, const char* field, v1::Protocol in, contract::Protocol& out);
void from_wire(const Scope& at, const char* field, v1::CaptureState in,
               contract::CaptureState& out);
void from_wire(const Scope& at, const char* field, v1::LogLevel in, LogLevel& out);

}  // namespace sluice::wire
