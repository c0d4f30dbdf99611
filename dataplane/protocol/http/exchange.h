// http/exchange.h - one request and its response between a client and an origin, streamed both
// ways.
//
//   client ──in──> BodyReader ─payload─> BodyWriter ──> upstream
//   client <────── BodyWriter <─payload─ BodyReader <─── heads <── upstream
//
// Plain state that is stepped: nothing here waits. Both directions run at once, so 100 (Continue)
// and early answers work. After 101 both directions carry raw bytes until both have ended.
//
// Owner: the session, one request long. Thread: its worker.
#pragma once

#include <string>

#include "dataplane/protocol/http/forward.h"
#include "dataplane/protocol/http/upstream.h"

namespace sluice::http {

struct ExchangeRequest {
  std::string_view method;  ///< view into the request's head, which outlives the exchange
  BodyShape body;
  std::uint8_t client_minor = 1;
  bool keep_client = true;  ///< the client wants its connection kept
  bool upgrade = false;
};

class Exchange {
 public:
  Exchange(transport::End& client, SliceQueue& in, HttpUpstream& upstream,
           ExchangeRequest request) noexcept;

  /// Queues the request's head. Errors: no_room (nothing was queued: call again), and those of
  /// End::write.
  Status start(std::string_view head) noexcept;
  /// Moves what can be moved now; true when anything moved.
  bool step() noexcept;

  [[nodiscard]] bool done() const noexcept {
    return down_ == Down::done && down_head_.empty() && down_out_.empty() && (!tunnel_ || up_done_);
  }
  [[nodiscard]] const Status& status() const noexcept { return status_; }
  /// A slice was missing: try again a little later even if no end becomes ready.
  [[nodiscard]] bool starved() const noexcept { return starved_; }
  /// Bytes of a response have gone to the client: an error can no longer be told.
  [[nodiscard]] bool responded() const noexcept { return responded_; }
  /// Nothing at all came back: a kept connection may simply have been stale.
  [[nodiscard]] bool silent() const noexcept { return !heard_; }
  [[nodiscard]] bool client_ended() const noexcept { return client_ended_; }
  /// After done(): whether each connection may carry another request.
  [[nodiscard]] bool client_reusable() const noexcept { return !close_client_ && up_done_; }
  [[nodiscard]] bool upstream_reusable() const noexcept {
    return keep_upstream_ && up_done_ && !up_broken_ && wire_.empty();
  }

 private:
  enum class Down : std::uint8_t { head, body, done };

  bool step_up() noexcept;
  bool step_down() noexcept;
  bool read_client() noexcept;
  void send_body() noexcept;
  void end_up() noexcept;
  void take_response() noexcept;
  void take_head() noexcept;
  void answer_head() noexcept;
  void pass_informational(const ResponseHead& head) noexcept;
  void switch_protocols(const ResponseHead& head) noexcept;
  void begin_body(const ResponseHead& head) noexcept;
  void take_body() noexcept;
  void upstream_ended(Error why) noexcept;
  void to_client(std::string_view head) noexcept;
  Status copy_head() noexcept;
  bool write_client() noexcept;
  bool write_upstream() noexcept;
  /// no_room only pauses; anything else ends the exchange.
  bool good(const Status& status, Side side) noexcept;

  transport::End& client_;
  SliceQueue& in_;
  HttpUpstream& upstream_;
  ExchangeRequest request_;
  Status status_;

  BodyReader up_reader_;
  BodyWriter up_writer_;
  SliceQueue up_payload_;
  SliceQueue up_out_;  ///< framed, not taken by the end yet
  bool up_done_ = false;
  bool up_broken_ = false;  ///< the upstream takes no more; it may still have answered
  bool client_ended_ = false;

  SliceQueue wire_;  ///< from upstream, not looked at yet
  std::string head_;
  HeadScanner scanner_;
  BodyReader down_reader_;
  BodyWriter down_writer_;
  SliceQueue down_payload_;
  std::string down_head_;  ///< heads for the client that found no slice yet; nothing overtakes them
  SliceQueue down_out_;
  bool retry_down_ = false;  ///< the response's last step lacked a slice
  Down down_ = Down::head;

  bool tunnel_ = false;
  bool close_client_ = false;
  bool keep_upstream_ = false;
  bool responded_ = false;
  bool heard_ = false;
  bool starved_ = false;
};

}  // namespace sluice::http
