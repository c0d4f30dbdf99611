#include "controlplane/provider/provider.h"

#include <algorithm>
#include <utility>

#include "controlplane/provider/intake.h"
#include "proto/common/log.h"

namespace sluice::provider {
namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;

/// Retrying less often than refreshing would make no sense.
Millis longest_retry(const Source& source) {
  return source.interval > Millis{0} ? std::min(source.interval, kRetryMost) : kRetryMost;
}

}  // namespace

Provider::Provider(Surroundings surroundings, Source source, std::shared_ptr<Consumer> consumer)
    : at_(std::move(surroundings)),
      source_(std::move(source)),
      consumer_(std::move(consumer)),
      copy_(source_.path),
      backoff_(at_.random, longest_retry(source_)),
      wake_(at_.loop),
      tasks_(at_.loop) {}

Provider::~Provider() = default;

void Provider::start() {
  switch (source_.kind) {
    case Kind::http:
      tasks_.run(live_http());
      break;
    case Kind::file:
      tasks_.run(live_file());
      break;
    case Kind::inline_:
      tasks_.run(live_inline());
      break;
  }
}

void Provider::refresh_now(std::weak_ptr<RefreshObserver> observer) {
  observers_.push_back(std::move(observer));
  if (status_.refreshing) return;
  asked_ = true;
  wake_.set();
}

Task<void> Provider::live_file() {
  watch_ = std::make_unique<FileWatch>(at_.loop, source_.path, wake_);
  for (;;) {
    begin_refresh();  // before reading: a change meanwhile wakes us again
    std::function<ReadIn()> job = [file = copy_, most = source_.most, consumer = consumer_] {
      return take_in_file(file, most, *consumer);
    };
    Task<ReadIn> working = do_work<ReadIn>(at_.loop, at_.work, std::move(job));
    const ReadIn read = co_await working;
    RefreshResult result{Outcome::updated, {}};
    if (read.usable())
      put_in_force(read.found->stamp.modified_ns / kNanosPerMilli, at_.wall_ms());
    else
      result = {Outcome::failed, read.reason(source_.path)};
    settle();
    end_refresh(result);
    (void)co_await wake_.wait(Moment::never());
  }
}

Task<void> Provider::live_inline() {
  begin_refresh();
  std::function<Accepted()> job = [this_content = source_.content, consumer = consumer_] {
    return consumer->accept(as_byte_view(this_content));
  };
  Task<Accepted> working = do_work<Accepted>(at_.loop, at_.work, std::move(job));
  const Accepted accepted = co_await working;
  RefreshResult result{Outcome::updated, {}};
  if (accepted)
    put_in_force(at_.wall_ms(), at_.wall_ms());
  else
    result = {Outcome::failed, "payload: " + accepted.error()};
  settle();
  end_refresh(result);
  if (accepted) result.outcome = Outcome::not_modified;
  for (;;) {
    (void)co_await wake_.wait(Moment::never());
    begin_refresh();
    end_refresh(result);
  }
}

void Provider::put_in_force(std::int64_t changed_ms, std::int64_t checked_ms) {
  status_.in_force = true;
  status_.changed_ms = changed_ms;
  status_.checked_ms = checked_ms;
  consumer_->adopt();
}

void Provider::settle() {
  if (std::exchange(status_.settled, true)) return;
  consumer_->settled();
}

void Provider::begin_refresh() {
  wake_.reset();
  status_.refreshing = true;
  status_.progress = {};
  told_ = {};
}

void Provider::end_refresh(const RefreshResult& result) {
  status_.refreshing = false;
  asked_ = false;
  if (result.outcome == Outcome::failed)
    complain(result.reason + (status_.in_force ? "; what was there before stays" : ""));
  else if (!result.reason.empty())
    complain(result.reason);
  else
    status_.fault.clear();
  if (result.outcome == Outcome::updated) SLUICE_LOG(info, "provider", "%s: updated", name());
  const auto observers = std::exchange(observers_, {});
  for (const auto& observer : observers)
    if (const auto alive = observer.lock()) alive->finished(result);
}

void Provider::fetched(const FetchProgress& progress) {
  status_.progress = progress;
  const Moment now = at_.loop.now();
  if (now < told_ + kProgressEvery) return;
  told_ = now;
  const auto observers = observers_;  // what is told may ask for more
  for (const auto& observer : observers)
    if (const auto alive = observer.lock()) alive->progress(progress);
}

void Provider::complain(std::string reason) {
  SLUICE_LOG(warning, "provider", "%s: %s", name(), reason.c_str());
  status_.fault = std::move(reason);
}

}  // namespace sluice::provider
