// control/name_service.h - ServeNames: questions, answers and the heartbeat.
//
//   worker --ask()--> waiting --write--> outstanding --answer / lost--> Core::name_answer
//
// Every question that ask() took gets exactly one answer. The newest stream counts; an older one is
// ended. Alive means: something came within kControlDead. A stopped control plane, whose socket
// stays open, is lost as surely as one that is gone.
//
// Thread: ask() any; everything else the control thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>

#include "dataplane/control/room.h"
#include "proto/common/clock.h"

namespace sluice::control {

class NameService {
 public:
  explicit NameService(Room& room) : room_(&room) {}
  void serve();
  /// See ControlLink::ask.
  bool ask(const contract::NameQuery& query);

 private:
  using Call = rpc::Bidi<v1::NamesUp, v1::NamesDown>;
  void on_call(const std::shared_ptr<Call>& call);
  void read(const std::shared_ptr<Call>& call);
  void on_message(const std::shared_ptr<Call>& call);
  void take(const contract::NameQuery& query);
  void pump();
  void alive();
  void watch_heartbeat();
  void lost();
  void drop(const std::shared_ptr<Call>& call, const grpc::Status& status);

  Room* room_;
  std::shared_ptr<Call> current_;
  std::deque<contract::NameQuery> waiting_;
  std::unordered_set<std::uint64_t> outstanding_;
  std::uint64_t echo_ = 0;  ///< heartbeat to send back; 0 = none
  Moment last_heard_{};
  rpc::Queue::TimerId heartbeat_ = 0;  ///< runs while up_
  bool up_ = false;
  std::atomic<bool> listening_ = false;  ///< up_, for other threads
};

}  // namespace sluice::control
