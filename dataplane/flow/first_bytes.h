// flow/first_bytes.h - what a client says first, for a decision that hangs on it.
//
//   decide() ── needs it ──> look() ── the client speaks, or its time is up ──> Spoken
//
// Who is looked at: a stream's client (stream_start.h), a client of datagrams (datagram_start.h),
// or nobody, where the answer is known without (KnownStart).
//
// Owner: the coroutine of the flow. Thread: its worker.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "dataplane/flow/engine.h"
#include "dataplane/sniff/answer.h"
#include "proto/contract/protocol.h"

namespace sluice::flow {

/// What first bytes told. Plain value.
struct Spoken {
  contract::Protocol protocol = contract::Protocol::none;
  std::string host;  ///< normal form; empty: they name nobody
};

[[nodiscard]] Spoken spoken(const sniff::Answer& answer);

class FirstBytes {
 public:
  /// Waits for as much as it takes, within bounds of its own; a second call gets the same answer.
  /// Errors: cancelled, and those after which there is no client any more.
  virtual Task<Result<Spoken>> look(Until until) = 0;

 protected:
  ~FirstBytes() = default;
};

/// Somebody has read them, or explain was told.
class KnownStart final : public FirstBytes {
 public:
  explicit KnownStart(Spoken spoken) : spoken_(std::move(spoken)) {}
  Task<Result<Spoken>> look(Until until) override;

 private:
  Spoken spoken_;
};

/// A client that is there: listened to once, and not at all where that failed too often.
class ClientStart : public FirstBytes {
 public:
  Task<Result<Spoken>> look(Until until) final;

 protected:
  /// Both outlive this; `to` names the destination in the table of failures.
  ClientStart(Engine& engine, Network network, const Destination& to) noexcept
      : engine_(engine), network_(network), to_(to) {}
  ~ClientStart() = default;
  virtual Task<Result<Spoken>> listen(Until until) = 0;
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  /// The answer says nothing of the destination: it was we who could not listen.
  void could_not_listen() noexcept { listened_ = false; }

 private:
  Engine& engine_;
  Network network_;
  const Destination& to_;
  std::optional<Spoken> spoken_;
  bool listened_ = true;
};

}  // namespace sluice::flow
