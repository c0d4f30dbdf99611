// push/thread.h - the client's thread: sessions one after the other, and what outlives them.
//
// Thread: public functions are called on the queue's thread, but for the constructor, destructor
// and post().
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "controlplane/push/client.h"
#include "controlplane/push/session.h"

namespace sluice::push {

class DataPlaneClient::Thread {
 public:
  Thread(Options options, Events& events);
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread();

  void post(rpc::Closure work) { queue_->post(std::move(work)); }
  /// Up to date and served: calls go through. Null otherwise.
  [[nodiscard]] std::shared_ptr<Session> session() const { return up_ ? session_ : nullptr; }

  void apply(std::shared_ptr<contract::Manifest> manifest, std::vector<contract::BlobPtr> blobs,
             Done<Applied> done);
  void select(const std::vector<contract::GroupChoice>& choices, const Done<Status>& done);
  void bind(PendingBind change);

  void list_flows(const Done<Result<std::vector<contract::FlowInfo>>>& done);
  void read_rules(const Done<Result<contract::RuleStates>>& done);

  /// A stream that is taken up again after each reconnect, until end_stream.
  using Open = std::function<std::shared_ptr<rpc::ClientCall>(Session&)>;
  void add_stream(std::uint64_t id, Open open);
  void end_stream(std::uint64_t id);

  [[nodiscard]] static Error error_of(const grpc::Status& status) noexcept;

 private:
  struct Stream {
    Open open;
    std::weak_ptr<rpc::ClientCall> call;
  };
  struct WaitingApply {
    std::shared_ptr<contract::Manifest> manifest;
    std::vector<contract::BlobPtr> blobs;
    Done<Applied> done;
  };
  struct Held {
    std::shared_ptr<contract::Manifest> manifest;  ///< null = none
    std::vector<contract::BlobPtr> blobs;
    unsigned lost = 0;  ///< verdicts on it
  };
  [[nodiscard]] const Held& wanted() const noexcept {
    return candidate_.manifest ? candidate_ : accepted_;
  }
  /// With the groups as they are chosen now, not as they were when the manifest was made.
  [[nodiscard]] contract::Manifest with_choices(const Held& held) const;
  void note_verdict(const contract::Verdict& verdict);
  void note_lost_verdict();
  void connect();
  void on_up(const contract::HelloReply& hello, const contract::Verdict& verdict);
  void on_end(const std::string& reason);
  void apply_next();
  void start_stream(Stream& stream);
  void stop();
  /// A call that was cancelled still begins operations (its finish), which a queue that is shut
  /// down must not see: waits until all are gone, at most until `deadline`.
  void finish_calls(Moment deadline);

  std::shared_ptr<rpc::Queue> queue_;
  Options options_;
  Events* events_;
  std::shared_ptr<Session> session_;
  bool up_ = false;
  bool stopping_ = false;
  Millis backoff_;
  std::string last_reason_;

  Held accepted_;   ///< the last one that was; applied again after each reconnect
  Held candidate_;  ///< kept while the data plane was away, and not judged yet; empty mostly
  std::shared_ptr<contract::Manifest> carried_;   ///< what the session applies as it comes up
  std::optional<contract::Verdict> turned_down_;  ///< of a candidate, until up() has said it
  std::vector<contract::GroupChoice> choices_;    ///< of all groups that were ever selected
  std::optional<WaitingApply> under_way_;
  std::deque<WaitingApply> applies_;  ///< behind it
  std::unordered_map<std::uint64_t, Stream> streams_;
  std::vector<std::weak_ptr<rpc::ClientCall>> ending_;  ///< of sessions that have ended
  std::thread thread_;
};

}  // namespace sluice::push
