#include "dataplane/app/process_helper.h"

#include <utility>

#include "dataplane/app/limits.h"
#include "dataplane/flow/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"

namespace sluice::app {

void ProcessHelper::want(bool on) {
  if (on == wanted_) return;
  wanted_ = on;
  told_ = false;
  pause_ = {};
  disarm();
  if (on) return home_.arm(*this, home_.now());
  client_.reset();
  drop_questions();
}

/// One timer: without a helper it starts one, with one it looks whether it still answers.
void ProcessHelper::fire() noexcept {
  if (client_ != nullptr) return look_for_stall();
  start();
}

void ProcessHelper::start() {
  if (!start_) return say_once("without root programs of other users cannot be seen");
  pause_.started(home_.refresh_now());
  auto helper = start_();
  auto client = helper ? kernel::ProcessClient::make(home_, std::move(*helper), *this)
                       : Result<std::unique_ptr<kernel::ProcessClient>>(fail(helper.error()));
  if (!client) {
    say_once("sluice-proc does not start: " + describe(client.error()));
    return retry_later();
  }
  client_ = std::move(*client);
}

void ProcessHelper::say_once(const std::string& why) {
  if (std::exchange(told_, true)) return;
  SLUICE_LOG(warning, "owner", "PROCESS rules do not match: %s", why.c_str());
}

/// From the moment that it is: a try may hold home for longer than the pause.
void ProcessHelper::retry_later() noexcept {
  home_.arm(*this, pause_.ended(home_.refresh_now()));
}

void ProcessHelper::look_for_stall() noexcept {
  client_->read();  // home may have been held up: what is there counts
  const Moment oldest = open_.oldest();
  if (client_ == nullptr || oldest == Moment::never()) return;
  if (home_.now() - oldest < kHelperStalled) return home_.arm(*this, oldest + kHelperStalled);
  client_->kill();
  lose("sluice-proc does not answer; starting it again");
}

void ProcessHelper::process_lost() noexcept {
  lose("sluice-proc is gone; starting it again");
}

void ProcessHelper::lose(const char* why) noexcept {
  if (pause_.well(home_.refresh_now())) told_ = false;
  client_.reset();
  drop_questions();
  say_once(why);
  retry_later();
}

void ProcessHelper::drop_questions() noexcept {
  for (const OpenQuestions::Asker& asker : open_.take_all()) answer_({asker.id, {}}, asker.worker);
}

void ProcessHelper::ask(flow::ProcessQuery query, unsigned worker) noexcept {
  home_.post(make_job([this, query, worker] { put(query, worker); }));
}

void ProcessHelper::put(const flow::ProcessQuery& query, unsigned worker) noexcept {
  if (client_ == nullptr || open_.full()) return answer_({query.id, {}}, worker);
  const Moment now = home_.refresh_now();
  const std::uint32_t number = open_.put({query.id, worker}, now);
  if (!client_->ask({number, query.inode, flow::kOwnerTimeout})) {
    open_.take(number);
    return answer_({query.id, {}}, worker);
  }
  if (!armed()) home_.arm(*this, now + kHelperStalled);
}

void ProcessHelper::process_answer(proc::Answer answer) noexcept {
  const auto asker = open_.take(answer.id);
  if (asker) answer_({asker->id, std::move(answer.path)}, asker->worker);
}

}  // namespace sluice::app
