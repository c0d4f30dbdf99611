// The life of a downloaded provider; the others are in provider.cc.
#include <algorithm>
#include <functional>
#include <utility>

#include "controlplane/provider/intake.h"
#include "controlplane/provider/provider.h"
#include "controlplane/provider/url.h"
#include "proto/common/log.h"

namespace sluice::provider {
namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;

RefreshResult failed(std::string reason) {
  return {Outcome::failed, std::move(reason)};
}

}  // namespace

Task<void> Provider::live_http() {
  Task<void> loading = load_copy();
  co_await loading;
  set_next(first_refresh());
  settle();
  for (;;) {
    (void)co_await wake_.wait(next_);  // asked or due: the same
    begin_refresh();
    Task<RefreshResult> trying = try_mirrors();
    const RefreshResult result = co_await trying;
    set_next(plan_next(result));
    end_refresh(result);
  }
}

Task<void> Provider::load_copy() {
  std::function<ReadIn()> job = [copy = copy_, most = source_.most, consumer = consumer_] {
    return take_in_copy(copy, most, *consumer);
  };
  Task<ReadIn> working = do_work<ReadIn>(at_.loop, at_.work, std::move(job));
  const ReadIn read = co_await working;
  if (read.usable()) {
    const std::int64_t modified_ms = read.found->stamp.modified_ns / kNanosPerMilli;
    const Origin unknown{{}, modified_ms, modified_ms, {}, {}};
    origin_ = read.found->origin.value_or(unknown);
    origin_.copy = read.found->stamp;
    put_in_force(origin_.changed_ms, origin_.checked_ms);
  } else if (read.broken()) {
    complain(read.reason(copy_.path()) + "; " +
             (read.moved_aside ? "moved aside to " + copy_.path() + ".broken and " : "") +
             "fetched anew");
  } else if (read.found.error().fault != CopyError::Fault::missing) {
    complain(read.reason(copy_.path()));
  }
}

Moment Provider::first_refresh() const {
  const Moment now = at_.loop.now();
  if (!status_.in_force) return now;
  if (source_.interval <= Millis{0}) return Moment::never();
  return now + time_left(interval(), origin_.checked_ms, at_.wall_ms());
}

Moment Provider::plan_next(const RefreshResult& result) {
  const bool by_itself = source_.interval > Millis{0};
  const Moment now = at_.loop.now();
  if (result.outcome != Outcome::failed) {
    backoff_.reset();
    return by_itself ? now + interval() : Moment::never();
  }
  if (status_.in_force && !by_itself) return Moment::never();  // whoever asked is told
  return now + std::max(backoff_.next(), retry_after_);
}

void Provider::set_next(Moment next) {
  next_ = next;
  const bool planned = next < Moment::never();
  status_.next_ms = planned ? at_.wall_ms() + (next - at_.loop.now()).count : 0;
}

Task<RefreshResult> Provider::try_mirrors() {
  std::string reasons;
  retry_after_ = {};
  for (const std::string& url : source_.urls) {
    FetchRequest request = request_for(url);
    SLUICE_LOG(debug, "provider", "%s: asks %s%s", name(), shown(url).c_str(),
               request.validators.empty() ? "" : " for what is newer");
    Task<FetchOutcome> fetching = at_.fetcher.fetch(std::move(request), *this);
    FetchOutcome outcome = co_await fetching;
    if (outcome)
      SLUICE_LOG(debug, "provider", "%s: %s", name(),
                 outcome->not_modified
                     ? "not modified"
                     : (std::to_string(outcome->body.size()) + " bytes came").c_str());
    Task<RefreshResult> taking = take(url, std::move(outcome));
    RefreshResult result = co_await taking;
    if (result.outcome != Outcome::failed) co_return result;
    if (!reasons.empty()) reasons += "; ";
    reasons += shown(url) + " " + result.reason;
  }
  co_return failed(std::move(reasons));
}

FetchRequest Provider::request_for(const std::string& url) const {
  FetchRequest request;
  request.url = url;
  request.headers = source_.headers;
  request.user_agent = source_.user_agent;
  request.proxy = source_.proxy;
  request.most = source_.most;
  // Another mirror's tags mean nothing to this one.
  if (source_.conditional && status_.in_force && origin_.url_digest == url_digest(url))
    request.validators = origin_.validators;
  // Dates have seconds: whoever changed the list just now and asks for it would not get it.
  if (asked_) request.validators.last_modified.clear();
  return request;
}

/// What one mirror's outcome means for us.
Task<RefreshResult> Provider::take(std::string url, FetchOutcome outcome) {
  if (!outcome) {
    retry_after_ = std::max(retry_after_, outcome.error().retry_after);
    co_return failed(std::move(outcome.error().reason));
  }
  Origin origin = origin_;
  origin.checked_ms = at_.wall_ms();
  if (!outcome->not_modified) {
    origin.url_digest = url_digest(url);
    origin.validators = std::move(outcome->validators);
    Task<RefreshResult> storing = store(std::move(origin), std::move(outcome->body));
    co_return co_await storing;
  }
  origin_ = origin;
  status_.checked_ms = origin.checked_ms;
  std::function<bool()> job = [copy = copy_, origin] {
    copy.record(origin);
    return true;
  };
  Task<bool> recording = do_work<bool>(at_.loop, at_.work, std::move(job));
  (void)co_await recording;
  co_return RefreshResult{Outcome::not_modified, {}};
}

Task<RefreshResult> Provider::store(Origin origin, std::string body) {
  std::function<TakenIn()> job = [copy = copy_, place = place_, consumer = consumer_,
                                  origin = std::move(origin), body = std::move(body)]() mutable {
    TakenIn taken = take_in_download(copy, body, std::move(origin), place, *consumer);
    std::string().swap(body);  // here: giving MiB back takes time
    return taken;
  };
  Task<TakenIn> working = do_work<TakenIn>(at_.loop, at_.work, std::move(job));
  TakenIn taken = co_await working;
  if (!taken.accepted) co_return failed("sent what is not usable: " + taken.accepted.error());
  origin_ = std::move(taken.origin);
  place_ = taken.stored ? Place::copy : Place::memory;
  if (!taken.stored) {
    origin_.validators = {};  // the next look brings the bytes again, and another try to store them
    put_in_force(origin_.changed_ms, origin_.checked_ms);
    co_return RefreshResult{
        Outcome::updated,
        "is used from memory, and forgotten at the next stop: " + taken.stored.error().reason};
  }
  if (taken.same) {
    status_.checked_ms = origin_.checked_ms;
    co_return RefreshResult{Outcome::not_modified, {}};
  }
  put_in_force(origin_.changed_ms, origin_.checked_ms);
  co_return RefreshResult{Outcome::updated, {}};
}

}  // namespace sluice::provider
