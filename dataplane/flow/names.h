// flow/names.h - a worker's way to ask names: a small cache in front of the control plane.
//
//   resolve() ── cache, still fresh ──────────────> addresses
//             └─ ask(NameQuery) ── control thread ── ServeNames ── control plane
//                   answer(NameAnswer) <────────────────┘
//
// While the control plane is away, what was known before is used stale, and unknown names fail at
// once rather than at a deadline. Equal questions are merged by the control plane, not here.
//
// Owner: the engine. Thread: its worker; NameSource::ask is called there too and must post.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataplane/outbound/resolver.h"
#include "proto/contract/names.h"

namespace sluice::flow {

/// Carries questions to the control plane. `worker` tells where the answer goes.
class NameSource {
 public:
  virtual void ask(contract::NameQuery query, unsigned worker) noexcept = 0;

 protected:
  ~NameSource() = default;
};

class NameService final : public outbound::NameResolver {
 public:
  NameService(Loop& loop, NameSource& source, unsigned worker) noexcept
      : loop_(loop), source_(source), worker_(worker) {}

  Task<Result<std::vector<IpAddress>>> resolve(std::string name, contract::NamePurpose purpose,
                                               Until until) override;
  [[nodiscard]] std::size_t known_count() const noexcept { return known_.size(); }
  /// The control plane answered.
  void answer(const contract::NameAnswer& answer);
  /// Whether somebody is there to answer. Going away fails what waits.
  void set_reachable(bool reachable);
  /// Addresses known from a binding's last_good, used only when nothing better is known. They take
  /// the least recently used place: however many come, they cost the cache one answer at most.
  void remember_stale(const std::string& name, const std::vector<IpAddress>& addresses);

 private:
  struct Question {
    explicit Question(Loop& loop) noexcept : done(loop) {}
    Event done;
    contract::NameAnswer result;
  };
  struct Known {
    std::string key;
    std::vector<IpAddress> addresses;
    Moment fresh_until{};
  };
  using KnownList = std::list<Known>;

 public:
  /// Of one name that is remembered, without its addresses.
  static constexpr std::size_t kKnownBytes = sizeof(Known);

 private:
  static std::string key_of(std::string_view name, contract::NamePurpose purpose);
  const Known* find(const std::string& key);
  void store(std::string key, std::vector<IpAddress> addresses, Moment fresh_until);
  void insert(KnownList::iterator at, Known known);
  /// The least recently used one goes when the cache is full.
  void make_room();

  Loop& loop_;
  NameSource& source_;
  unsigned worker_;
  bool reachable_ = false;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::uint64_t, Question*> open_;  ///< questions live in resolve()'s frames
  std::unordered_map<std::string_view, KnownList::iterator> by_key_;
  KnownList known_;  ///< most recently used first
};

}  // namespace sluice::flow
