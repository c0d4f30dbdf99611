#include "dataplane/control/apply_service.h"

#include <utility>

#include "dataplane/recovery/bounds.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/wire/manifest.h"

namespace sluice::control {

void ApplyService::replay(recovery::Snapshot snapshot, std::vector<contract::GroupChoice> choices,
                          rpc::Closure done) {
  choices_ = std::move(choices);
  saved_ = snapshot.digest;
  blobs_.found(snapshot);
  busy_ = true;
  auto blobs = snapshot.blobs;
  room_->core.apply(std::move(snapshot.manifest), std::move(blobs),
                    room_->on_control_thread<contract::Verdict>(
                        [this, done = std::move(done)](const contract::Verdict& verdict) {
                          busy_ = false;
                          if (verdict.accepted)
                            SLUICE_LOG(info, "control", "step=replay the last snapshot runs again");
                          else
                            SLUICE_LOG(error, "control",
                                       "step=replay place=%s the last snapshot: %s",
                                       verdict.place.c_str(), verdict.reason.c_str());
                          done();
                        }));
}

void ApplyService::serve() {
  using Service = v1::DataPlane::AsyncService;
  rpc::serve(room_->completions, room_->service, &Service::RequestApply,
             [this](const std::shared_ptr<ApplyCall>& call) { on_apply(call); });
  rpc::serve(room_->completions, room_->service, &Service::RequestSelect,
             [this](const std::shared_ptr<SelectCall>& call) { on_select(call); });
  using OpenCall = rpc::Unary<v1::OpenCaptureRequest, v1::OpenCaptureReply>;
  rpc::serve(room_->completions, room_->service, &Service::RequestOpenCapture,
             [this](const std::shared_ptr<OpenCall>& call) {
               room_->core.open_guard(room_->on_control_thread<std::string>(
                   [weak = std::weak_ptr(call)](const std::string& reason) {
                     v1::OpenCaptureReply reply;
                     reply.set_reason(reason);
                     if (const auto alive = weak.lock()) alive->reply(reply);
                   }));
             });
}

std::vector<contract::Digest> ApplyService::held() const {
  std::vector<contract::Digest> out;
  for (const auto& [digest, blob] : blobs_.running()) out.push_back(digest);
  return out;
}

void ApplyService::on_apply(const std::shared_ptr<ApplyCall>& call) {
  if (busy_) {
    call->fail({grpc::StatusCode::ABORTED, "another Apply is under way"});
    return;
  }
  busy_ = true;
  assembly_ = std::make_unique<ApplyAssembly>(run_dir_);
  read_part(call);
}

void ApplyService::read_part(const std::shared_ptr<ApplyCall>& call) {
  call->read([this, weak = std::weak_ptr(call)](bool ok) {
    const auto self = weak.lock();
    if (!ok) {
      finish(self);
      return;
    }
    if (const auto added = assembly_->add(self->part); !added) {
      refuse(self, added.error());
      return;
    }
    read_part(self);
  });
}

void ApplyService::finish(const std::shared_ptr<ApplyCall>& call) {
  auto assembled = assembly_->finish(blobs_.running());
  if (!assembled) {
    refuse(call, assembled.error());
    return;
  }
  assembly_.reset();
  room_->core.apply(
      std::move(assembled->manifest), assembled->blobs,
      room_->on_control_thread<contract::Verdict>(
          [this, weak = std::weak_ptr(call), blobs = assembled->blobs,
           bytes = std::move(assembled->manifest_bytes)](const contract::Verdict& verdict) {
            busy_ = false;
            if (verdict.accepted)
              keep(bytes, blobs);
            else
              for (const contract::BlobPtr& blob : blobs) blobs_.refused(blob->digest);
            if (const auto alive = weak.lock()) answer(alive, verdict);
          }));
}

void ApplyService::refuse(const std::shared_ptr<ApplyCall>& call, const wire::Refusal& refusal) {
  for (const auto& [digest, blob] : assembly_->came()) blobs_.refused(digest);
  assembly_.reset();
  busy_ = false;
  answer(call, {false, room_->core.hello().generation, refusal.reason, refusal.place});
}

void ApplyService::answer(const std::shared_ptr<ApplyCall>& call, contract::Verdict verdict) {
  if (verdict.accepted)
    SLUICE_LOG(info, "control", "step=apply generation=%llu accepted",
               static_cast<unsigned long long>(verdict.generation));
  else
    SLUICE_LOG(warning, "control", "step=apply place=%s refused: %s", verdict.place.c_str(),
               verdict.reason.c_str());
  v1::Verdict message;
  wire::encode(verdict, &message);
  call->reply(message);
}

void ApplyService::keep(const std::string& manifest_bytes,
                        const std::vector<contract::BlobPtr>& blobs) {
  // Not those of the manifest: a snapshot carries over what the one before had chosen.
  choices_ = room_->core.choices();
  if (choices_.size() > recovery::kMaxChoices) choices_.resize(recovery::kMaxChoices);
  saved_.reset();
  const auto saved = blobs_.accepted(manifest_bytes, blobs);
  if (!saved) {
    SLUICE_LOG(error, "control", "step=save the snapshot would not survive a restart: %s",
               describe(saved.error()).c_str());
    return;
  }
  saved_ = *saved;
  save_choices();
}

void ApplyService::on_select(const std::shared_ptr<SelectCall>& call) {
  auto choices = wire::decode(call->request);
  if (!choices) return call->fail(invalid(choices.error().to_string()));
  room_->core.select(
      *choices, room_->on_control_thread<Status>(
                    [this, weak = std::weak_ptr(call), choices = *choices](const Status& done) {
                      if (done) note(choices);
                      const auto alive = weak.lock();
                      if (!alive) return;
                      if (done) return alive->reply({});
                      const auto code = done.error().code == Errc::not_found
                                            ? grpc::StatusCode::NOT_FOUND
                                            : grpc::StatusCode::FAILED_PRECONDITION;
                      alive->fail({code, "choices: " + describe(done.error())});
                    }));
}

void ApplyService::note(const std::vector<contract::GroupChoice>& choices) {
  merge_choices(choices_, choices);
  if (choices_.size() > recovery::kMaxChoices) choices_.erase(choices_.begin());
  save_choices();
}

void ApplyService::save_choices() {
  if (!saved_) return;
  if (const Status saved = recovery::save_choices(run_dir_, {*saved_, choices_}); !saved)
    SLUICE_LOG(error, "control", "step=save the choices would not survive a restart: %s",
               describe(saved.error()).c_str());
}

}  // namespace sluice::control
