#include "dataplane/control/rule_service.h"

#include <utility>

#include "dataplane/control/pages.h"
#include "proto/common/log.h"
#include "proto/wire/manifest.h"
#include "proto/wire/rules.h"

namespace sluice::control {
namespace {

void answer(rpc::Unary<v1::SetRulesRequest, v1::Verdict>& call, const contract::Verdict& verdict) {
  if (!verdict.accepted)
    SLUICE_LOG(warning, "control", "step=set-rules place=%s refused: %s", verdict.place.c_str(),
               verdict.reason.c_str());
  v1::Verdict message;
  wire::encode(verdict, &message);
  call.reply(message);
}

}  // namespace

void RuleService::serve() {
  using Service = v1::DataPlane::AsyncService;
  rpc::serve(room_->completions, room_->service, &Service::RequestReadRules,
             [this](const std::shared_ptr<ReadCall>& call) { on_read(call); });
  rpc::serve(room_->completions, room_->service, &Service::RequestSetRules,
             [this](const std::shared_ptr<SetCall>& call) { on_set(call); });
}

void RuleService::on_read(const std::shared_ptr<ReadCall>& call) {
  room_->core.read_rules(room_->on_control_thread<contract::RuleStates>(
      [weak = std::weak_ptr(call)](const contract::RuleStates& states) {
        const auto alive = weak.lock();
        if (alive && !alive->cancelled()) write_pages(alive, wire::encode_pages(states));
      }));
}

void RuleService::on_set(const std::shared_ptr<SetCall>& call) {
  auto switches = wire::decode(call->request);
  if (!switches) {
    answer(*call, {false, room_->core.hello().generation, switches.error().reason,
                   switches.error().place});
    return;
  }
  room_->core.set_rules(std::move(*switches),
                        room_->on_control_thread<contract::Verdict>(
                            [weak = std::weak_ptr(call)](const contract::Verdict& verdict) {
                              if (const auto alive = weak.lock()) answer(*alive, verdict);
                            }));
}

}  // namespace sluice::control
