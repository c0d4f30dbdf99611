// control/apply_service.h - Apply, Select and OpenCapture: the snapshot as the control plane sees
// it.
//
// One Apply at a time. Accepted: the blobs it needs are kept (others dropped) and the run directory
// has the new snapshot, and the choices it runs with, before the verdict leaves; one that cannot be
// saved runs all the same, and a restart finds the one before. Refused: nothing changed anywhere.
// Another Apply meanwhile, as from a control plane that follows one that died, ends with ABORTED:
// what is held may be about to change, so its sender begins anew, with Hello.
//
// Thread: the control thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/control/apply_assembly.h"
#include "dataplane/control/held_blobs.h"
#include "dataplane/control/room.h"
#include "dataplane/recovery/recovery.h"

namespace sluice::control {

class ApplyService {
 public:
  ApplyService(Room& room, std::string run_dir)
      : room_(&room), run_dir_(std::move(run_dir)), blobs_(run_dir_) {}
  /// Applies what was found at start, then `done`; a refusal is logged and start goes on.
  void replay(recovery::Snapshot snapshot, std::vector<contract::GroupChoice> choices,
              rpc::Closure done);
  void serve();
  [[nodiscard]] std::vector<contract::Digest> held() const;

 private:
  using ApplyCall = rpc::ClientStream<v1::ApplyPart, v1::Verdict>;
  void on_apply(const std::shared_ptr<ApplyCall>& call);
  void read_part(const std::shared_ptr<ApplyCall>& call);
  void finish(const std::shared_ptr<ApplyCall>& call);
  void answer(const std::shared_ptr<ApplyCall>& call, contract::Verdict verdict);
  void refuse(const std::shared_ptr<ApplyCall>& call, const wire::Refusal& refusal);
  void keep(const std::string& manifest_bytes, const std::vector<contract::BlobPtr>& blobs);
  using SelectCall = rpc::Unary<v1::SelectRequest, v1::SelectReply>;
  void on_select(const std::shared_ptr<SelectCall>& call);
  void note(const std::vector<contract::GroupChoice>& choices);
  void save_choices();

  Room* room_;
  std::string run_dir_;
  HeldBlobs blobs_;
  std::optional<contract::Digest> saved_;       ///< the snapshot in the run directory, if it runs
  std::vector<contract::GroupChoice> choices_;  ///< that the snapshot runs with, oldest first
  std::unique_ptr<ApplyAssembly> assembly_;     ///< while parts come in
  bool busy_ = false;                           ///< parts come in, or Core is asked
};

}  // namespace sluice::control
