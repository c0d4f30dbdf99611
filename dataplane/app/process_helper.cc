#include "dataplane/app/process_helper.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::app {

void ProcessHelper::want(bool on) {
  if (on == wanted_) return;
  wanted_ = on;
  told_ = false;
  pause_ = kFirstPause;
  disarm();
  if (on) return start();
  client_.reset();
  drop_questions();
}

void ProcessHelper::start() {
  if (!start_) return say_once("without root programs of other users cannot be seen");
  auto socket = start_();
  if (!socket) {
    say_once("sluice-proc does not start: " + describe(socket.error()));
    return retry_later();
  }
  auto client = kernel::ProcessClient::make(home_, std::move(*socket), *this);
  if (!client) return retry_later();
  client_ = std::move(*client);
  started_ = home_.now();
}

void ProcessHelper::say_once(const std::string& why) {
  if (std::exchange(told_, true)) return;
  SLUICE_LOG(warning, "owner", "PROCESS rules do not match: %s", why.c_str());
}

void ProcessHelper::retry_later() {
  home_.arm(*this, home_.now() + pause_);
  pause_ = std::min(pause_ * 2, kLongestPause);
}

void ProcessHelper::process_lost() noexcept {
  if (home_.now() - started_ >= kWell) {
    pause_ = kFirstPause;
    told_ = false;
  }
  client_.reset();
  drop_questions();
  say_once("sluice-proc is gone; starting it again");
  retry_later();
}

void ProcessHelper::drop_questions() noexcept {
  for (const auto& [id, asked] : std::exchange(open_, {})) answer_({asked.id, {}}, asked.worker);
}

void ProcessHelper::ask(flow::ProcessQuery query, unsigned worker) noexcept {
  home_.post(make_job([this, query, worker] { put(query, worker); }));
}

void ProcessHelper::put(const flow::ProcessQuery& query, unsigned worker) noexcept {
  const std::uint32_t id = ++last_id_;
  const bool sent = client_ != nullptr && open_.size() < kMaxOpen &&
                    client_->ask({id, query.inode, flow::kOwnerTimeout});
  if (!sent) return answer_({query.id, {}}, worker);
  open_.emplace(id, Asked{query.id, worker});
}

void ProcessHelper::process_answer(proc::Answer answer) noexcept {
  const auto asked = open_.extract(answer.id);
  if (asked.empty()) return;
  answer_({asked.mapped().id, std::move(answer.path)}, asked.mapped().worker);
}

}  // namespace sluice::app
