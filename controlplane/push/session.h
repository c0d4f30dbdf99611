// push/session.h - one connection to the data plane, from connect to its end.
//
//   connect + credentials -> Hello -> names stream -> bindings replaced -> Apply -> counters -> up
//
// Any failure on the way, a lost stream or three missed heartbeats end the session, once; the owner
// makes a new one (a channel made from a descriptor never reconnects).
//
// Thread: the client's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/push/client.h"
#include "proto/rpc/client_call.h"
#include "proto/rpc/queue.h"
#include "sluice/v1/dataplane.grpc.pb.h"

namespace sluice::push {

/// A change that waits to be sent, and who wants to know.
struct PendingBind {
  contract::BindingBatch change;
  Done<bool> done;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  struct Owner {
    std::shared_ptr<rpc::Queue> queue;
    Options options;
    Events* events = nullptr;
    std::shared_ptr<const contract::Manifest> manifest;  ///< to apply; may be null
    std::vector<contract::BlobPtr> blobs;
  };
  using Ended = std::function<void(const std::string& reason)>;
  using Up = std::function<void(const contract::HelloReply&, const contract::Verdict&)>;

  Session(Owner owner, Up up, Ended ended);
  /// Begins; `ended` may run before it returns.
  void start();
  /// Ends it: all calls are cancelled, `ended` runs unless it has.
  void end(const std::string& reason);

  /// `done` is not called when the verdict is lost with the session: `ended` runs then.
  void apply(const contract::Manifest& manifest, const std::vector<contract::BlobPtr>& blobs,
             Done<contract::Verdict> done);
  void bind(PendingBind change);
  /// The owner's thread got everything bound; what waits is contained in it.
  void replace_bindings(std::vector<contract::Binding> all);

  /// Cancels `call` when the session ends.
  void track(const std::shared_ptr<rpc::ClientCall>& call);
  /// After end(): the calls that may still be under way.
  void hand_over_calls(std::vector<std::weak_ptr<rpc::ClientCall>>& to) {
    to.insert(to.end(), calls_.begin(), calls_.end());
    calls_.clear();
  }

  [[nodiscard]] v1::DataPlane::Stub& stub() noexcept { return *stub_; }
  [[nodiscard]] grpc::CompletionQueue* completions() noexcept { return &owner_.queue->get(); }
  [[nodiscard]] bool ended() const noexcept { return ended_now_; }
  /// A manifest went out, whatever became of it.
  [[nodiscard]] bool has_applied() const noexcept { return has_applied_; }

 private:
  using Names = rpc::ClientBidi<v1::NamesUp, v1::NamesDown>;
  using Bindings = rpc::ClientBidi<v1::BindingPart, v1::BindingAck>;
  using Counters = rpc::ClientBidi<v1::CounterCursor, v1::CounterBatch>;
  struct Sending;

  [[nodiscard]] std::optional<std::string> connect();
  void say_hello();
  void start_names();
  void read_names();
  void answer(contract::NameAnswer answer);
  void beat();
  void pump_names();
  void start_bindings();
  void send_bindings();
  void write_parts(std::shared_ptr<std::vector<v1::BindingPart>> parts, std::size_t at);
  void read_ack();
  void apply_first();
  void write_apply(const std::shared_ptr<Sending>& sending);
  void start_counters();
  void send_cursor(contract::CounterCursor cursor);
  void pump_cursor();
  void read_counters();
  void commit(const std::shared_ptr<const contract::CounterBatch>& batch);

  Owner owner_;
  Up up_;
  Ended ended_;
  bool ended_now_ = false;
  bool has_applied_ = false;
  std::unique_ptr<v1::DataPlane::Stub> stub_;
  contract::HelloReply hello_;
  contract::Verdict verdict_{.accepted = true};
  std::vector<std::weak_ptr<rpc::ClientCall>> calls_;  ///< cancelled at the end

  std::shared_ptr<Names> names_;
  std::vector<contract::NameAnswer> answers_;
  std::uint64_t beat_ = 0;
  bool beat_due_ = false;
  Moment last_heard_{};

  std::shared_ptr<Bindings> bindings_;
  std::vector<PendingBind> waiting_;  ///< not sent
  std::vector<Done<bool>> in_flight_;
  std::uint64_t number_ = 0;
  bool replaced_ = false;  ///< the first batch of this session went out
  bool sending_ = false;

  std::shared_ptr<Counters> counters_;
  contract::CounterCursor cursor_;
  bool cursor_due_ = false;  ///< cursor_ is still to be sent
};

}  // namespace sluice::push
