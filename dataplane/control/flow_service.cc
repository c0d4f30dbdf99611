#include "dataplane/control/flow_service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataplane/control/bounds.h"
#include "dataplane/control/pages.h"
#include "proto/common/error_text.h"
#include "proto/wire/bounds.h"
#include "proto/wire/flows.h"

namespace sluice::control {
void FlowService::serve() {
  using Service = v1::DataPlane::AsyncService;
  rpc::serve(room_->completions, room_->service, &Service::RequestWatchFlows,
             [this](const std::shared_ptr<WatchCall>& call) { on_watch(call); });
  rpc::serve(room_->completions, room_->service, &Service::RequestListFlows,
             [this](const std::shared_ptr<ListCall>& call) { on_list(call); });
  rpc::serve(room_->completions, room_->service, &Service::RequestCloseFlows,
             [this](const std::shared_ptr<CloseCall>& call) { on_close(call); });
  rpc::serve(room_->completions, room_->service, &Service::RequestExplain,
             [this](const std::shared_ptr<ExplainCall>& call) { on_explain(call); });
}

void FlowService::on_watch(const std::shared_ptr<WatchCall>& call) {
  const Millis asked{call->request.interval_ms()};
  const Millis interval = asked.count == 0 ? kFlowPeriod : asked;
  if (interval < kFlowPeriodLeast || interval > kFlowPeriodMost) {
    call->finish(invalid("interval_ms: is not between 100 and 60000"));
    return;
  }
  if (watchers_.size() >= kMaxWatchers) {
    call->finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many watchers"});
    return;
  }
  const std::uint64_t id = ++last_watcher_;
  watchers_[id].call = call;
  watchers_[id].interval = interval;
  call->on_over([this, id] { end(id); });
  if (watchers_.size() == 1) room_->core.watch_flows(true);
  look(id);
}

void FlowService::look(std::uint64_t id) {
  if (!watchers_.contains(id)) return;
  room_->core.list_flows(room_->on_control_thread<std::vector<contract::FlowInfo>>(
      [this, id](std::vector<contract::FlowInfo> table) {
        const auto found = watchers_.find(id);
        if (found == watchers_.end()) return;
        Watcher& watcher = found->second;
        const auto events = watcher.delta.next(std::move(table), std::exchange(watcher.closed, {}),
                                               std::exchange(watcher.lost, 0));
        // Also when nothing changed: that is what a reader computes rates of.
        auto parts = wire::encode_parts(events);
        watcher.parts.assign(std::make_move_iterator(parts.begin()),
                             std::make_move_iterator(parts.end()));
        write_next(id);
      }));
}

void FlowService::write_next(std::uint64_t id) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  Watcher& watcher = found->second;
  if (watcher.parts.empty()) {
    room_->queue->after(watcher.interval, [this, id] { look(id); });
    return;
  }
  const v1::FlowEvents part = std::move(watcher.parts.front());
  watcher.parts.pop_front();
  watcher.call->write(part, [this, id](bool ok) {
    if (ok) write_next(id);
  });
}

void FlowService::end(std::uint64_t id) {
  if (watchers_.erase(id) != 0 && watchers_.empty()) room_->core.watch_flows(false);
}

void FlowService::flows_closed(std::vector<contract::FlowInfo> flows) {
  room_->queue->post([this, flows = std::move(flows)] { take_closed(flows); });
}

void FlowService::take_closed(const std::vector<contract::FlowInfo>& flows) {
  for (auto& [id, watcher] : watchers_) {
    const std::size_t room = kMaxClosedHeld - std::min(kMaxClosedHeld, watcher.closed.size());
    const std::size_t taken = std::min(room, flows.size());
    watcher.closed.insert(watcher.closed.end(), flows.begin(),
                          flows.begin() + static_cast<std::ptrdiff_t>(taken));
    watcher.lost += flows.size() - taken;
  }
}

void FlowService::on_list(const std::shared_ptr<ListCall>& call) {
  room_->core.list_flows(room_->on_control_thread<std::vector<contract::FlowInfo>>(
      [weak = std::weak_ptr(call)](const std::vector<contract::FlowInfo>& table) {
        const auto alive = weak.lock();
        if (!alive || alive->cancelled()) return;
        write_pages(alive, wire::encode_pages(table));
      }));
}

void FlowService::on_close(const std::shared_ptr<CloseCall>& call) {
  const v1::CloseFlowsRequest& request = call->request;
  const auto count = static_cast<std::size_t>(request.ids_size());
  if (count > wire::kMaxFlowIds) return call->fail(invalid("ids: has more than 4096 items"));
  if (request.all() && count != 0) return call->fail(invalid("ids: is set together with all"));
  auto done =
      room_->on_control_thread<std::uint64_t>([weak = std::weak_ptr(call)](std::uint64_t closed) {
        v1::CloseFlowsReply reply;
        reply.set_closed(closed);
        if (const auto alive = weak.lock()) alive->reply(reply);
      });
  if (request.all())
    room_->core.close_all_flows(std::move(done));
  else
    room_->core.close_flows({request.ids().begin(), request.ids().end()}, std::move(done));
}

void FlowService::on_explain(const std::shared_ptr<ExplainCall>& call) {
  const auto query = wire::decode(call->request);
  if (!query) return call->fail(invalid(query.error().to_string()));
  room_->core.explain(
      *query,
      room_->on_control_thread<Result<contract::Explanation>>(
          [weak = std::weak_ptr(call)](const Result<contract::Explanation>& answer) {
            const auto alive = weak.lock();
            if (!alive) return;
            if (!answer) {
              alive->fail({grpc::StatusCode::FAILED_PRECONDITION, describe(answer.error())});
              return;
            }
            v1::Explanation message;
            wire::encode(*answer, &message);
            alive->reply(message);
          }));
}

}  // namespace sluice::control
