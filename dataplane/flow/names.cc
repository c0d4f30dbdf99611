#include "dataplane/flow/names.h"

#include <utility>

#include "dataplane/flow/limits.h"

namespace sluice::flow {
namespace {

/// Takes the question off the table however the coroutine ends.
template <class Map>
class Registered {
 public:
  Registered(Map& map, std::uint64_t id) noexcept : map_(map), id_(id) {}
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { map_.erase(id_); }

 private:
  Map& map_;
  std::uint64_t id_;
};

}  // namespace

std::string NameService::key_of(std::string_view name, contract::NamePurpose purpose) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(purpose)));
  key += name;
  return key;
}

const NameService::Known* NameService::find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found->second);
  return &known_.front();
}

void NameService::store(std::string key, std::vector<IpAddress> addresses, Moment fresh_until) {
  if (find(key) != nullptr) {
    known_.front().addresses = std::move(addresses);
    known_.front().fresh_until = fresh_until;
    return;
  }
  make_room();
  insert(known_.begin(), {std::move(key), std::move(addresses), fresh_until});
}

void NameService::make_room() {
  if (known_.size() < kNamesPerWorker) return;
  by_key_.erase(known_.back().key);
  known_.pop_back();
}

void NameService::insert(KnownList::iterator at, Known known) {
  const auto entry = known_.insert(at, std::move(known));
  by_key_.emplace(entry->key, entry);
}

Task<Result<std::vector<IpAddress>>> NameService::resolve(std::string name,
                                                          contract::NamePurpose purpose,
                                                          Until until) {
  const std::string key = key_of(name, purpose);
  if (const Known* known = find(key); known != nullptr) {
    if (known->fresh_until > loop_.now() || !reachable_) co_return known->addresses;
  }
  if (!reachable_) co_return fail(Errc::unreachable);
  Question question(loop_);
  const std::uint64_t id = next_id_++;
  open_.emplace(id, &question);
  const Registered registered(open_, id);
  contract::NameQuery query;
  query.id = id;
  query.name = std::move(name);
  query.purpose = purpose;
  source_.ask(std::move(query), worker_);
  const Status answered = co_await question.done.wait(until);
  if (answered && question.result.error == Errc::none && !question.result.addresses.empty()) {
    const Moment fresh =
        loop_.now() + Millis{static_cast<std::int64_t>(question.result.ttl_s) * 1000};
    store(key, question.result.addresses, fresh);
    co_return std::move(question.result.addresses);
  }
  // The one who could answer is gone or silent: an old answer beats none.
  const bool no_such_name = answered && question.result.error == Errc::no_address;
  if (const Known* known = find(key); known != nullptr && !no_such_name) co_return known->addresses;
  if (!answered) co_return fail(answered.error());
  co_return fail(question.result.error == Errc::none ? Errc::no_address : question.result.error);
}

void NameService::answer(const contract::NameAnswer& answer) {
  const auto found = open_.find(answer.id);
  if (found == open_.end()) return;
  found->second->result = answer;
  found->second->done.set();
}

void NameService::set_reachable(bool reachable) {
  reachable_ = reachable;
  if (reachable) return;
  for (auto& [id, question] : open_) {
    question->result.error = Errc::unreachable;
    question->done.set();
  }
}

void NameService::remember_stale(const std::string& name, const std::vector<IpAddress>& addresses) {
  std::string key = key_of(name, contract::NamePurpose::direct);
  if (addresses.empty() || by_key_.contains(key)) return;
  make_room();
  insert(known_.end(), {std::move(key), addresses, Moment{0}});
}

}  // namespace sluice::flow
