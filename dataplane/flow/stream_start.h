// flow/stream_start.h - the first bytes of a TCP client, read before its flow is decided.
//
//   SOCKS, CONNECT   look(): "go ahead" ─> client ─> first bytes      a refusal can then only close
//   captured         look():                         first bytes
//   afterwards       give_back(): the client's end reads them again, before all others
//
// Bounds: kSniffFirstByte for the first one, kSniffBudget from there on, sniff::kMaxStream. A
// client that waits for its server to speak costs the first of these, once, and nothing else.
//
// Owner: the coroutine of the flow. Thread: its worker.
#pragma once

#include "dataplane/flow/first_bytes.h"
#include "dataplane/transport/end.h"

namespace sluice::flow {

/// What a client waits for before it speaks.
class Welcome {
 public:
  /// Errors: as transport::send.
  virtual Task<Status> send() = 0;

 protected:
  ~Welcome() = default;
};

class StreamStart final : public ClientStart {
 public:
  /// `read`: what has come behind the client's request. `welcome`: nullptr where it speaks anyway.
  /// All outlive this; `to` names the destination in the table of failures.
  StreamStart(Engine& engine, transport::End& client, SliceQueue read, const Destination& to,
              Welcome* welcome) noexcept
      : ClientStart(engine, Network::tcp, to),
        client_(client),
        read_(std::move(read)),
        welcome_(welcome) {}
  StreamStart(const StreamStart&) = delete;
  StreamStart& operator=(const StreamStart&) = delete;

  /// The client was told that it is connected.
  [[nodiscard]] bool welcomed() const noexcept { return welcomed_; }
  /// Puts what was read back in front of what comes.
  void give_back() noexcept;

 private:
  Task<Result<Spoken>> listen(Until until) override;
  Status take(SliceQueue more) noexcept;

  transport::End& client_;
  SliceQueue read_;
  Welcome* welcome_;
  bool welcomed_ = false;
};

}  // namespace sluice::flow
