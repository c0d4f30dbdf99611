#include "controlplane/dns/cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "controlplane/dns/bounds.h"

namespace sluice::dns {
namespace {

/// List node, two map slots and the shared block, measured on a 64-bit build.
constexpr std::size_t kEntryOverhead = 320;

Millis seconds(std::uint32_t count) noexcept {
  return Millis{std::int64_t{count} * 1000};
}

std::uint32_t whole_seconds(Millis span) noexcept {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(span.count, 0) / 1000);
}

}  // namespace

QuestionKey::QuestionKey(const Query& query, std::uint8_t server_set) noexcept {
  text_[0] = static_cast<char>(query.question.type >> 8);
  text_[1] = static_cast<char>(query.question.type & 0xff);
  text_[2] = static_cast<char>((query.dnssec_ok ? 1 : 0) | (query.checking_disabled ? 2 : 0));
  text_[3] = static_cast<char>(server_set);
  const WireName name = query.question.name.lowered();
  std::memcpy(&text_[4], name.bytes().data(), name.size());
  size_ = 4 + name.size();
}

std::size_t Cache::size_of(const Entry& entry) noexcept {
  return kEntryOverhead + entry.key.size() +
         (entry.answer != nullptr ? entry.answer->body.size() : 0);
}

std::optional<Cache::Hit> Cache::find(const QuestionKey& key, Moment now) {
  const auto hit = by_key_.find(key.view());
  if (hit == by_key_.end()) return std::nullopt;
  const Entry& entry = *hit->second;
  if (entry.answer != nullptr && now < entry.expires) {
    order_.splice(order_.end(), order_, hit->second);
    return Hit{entry.answer, whole_seconds(now - entry.stored)};
  }
  if (entry.failure != nullptr && now < entry.failure_expires)
    return Hit{entry.failure, whole_seconds(now - entry.failed)};
  return std::nullopt;
}

Cache::AnswerRef Cache::find_stale(const QuestionKey& key, Moment now) const {
  const auto hit = by_key_.find(key.view());
  if (hit == by_key_.end() || hit->second->answer == nullptr) return nullptr;
  return now < hit->second->expires + kMaxStale ? hit->second->answer : nullptr;
}

Cache::Entry& Cache::touch(const QuestionKey& key) {
  if (const auto hit = by_key_.find(key.view()); hit != by_key_.end()) {
    order_.splice(order_.end(), order_, hit->second);
    bytes_ -= size_of(*hit->second);
    return *hit->second;
  }
  const Position position = order_.emplace(order_.end());
  position->key = key.view();
  by_key_.emplace(position->key, position);
  return *position;
}

void Cache::put(const QuestionKey& key, AnswerRef answer, Moment now) {
  if (answer->ttl_s == 0) return;
  Entry& entry = touch(key);
  entry.expires = now + seconds(answer->ttl_s);
  entry.stored = now;
  entry.answer = std::move(answer);
  entry.failure.reset();
  bytes_ += size_of(entry);
  shrink();
}

void Cache::put_failure(const QuestionKey& key, AnswerRef answer, Moment now) {
  Entry& entry = touch(key);
  entry.failure = std::move(answer);
  entry.failed = now;
  entry.failure_expires = now + seconds(kFailureTtl_s);
  bytes_ += size_of(entry);
  shrink();
}

void Cache::shrink() noexcept {
  while (order_.size() > max_count_ || (bytes_ > max_bytes_ && !order_.empty())) drop_oldest();
}

void Cache::drop_oldest() noexcept {
  bytes_ -= size_of(order_.front());
  by_key_.erase(order_.front().key);
  order_.pop_front();
}

void Cache::flush() noexcept {
  by_key_.clear();
  order_.clear();
  bytes_ = 0;
}

void Cache::set_max_count(std::size_t max_count) noexcept {
  max_count_ = max_count;
  shrink();
}

}  // namespace sluice::dns
