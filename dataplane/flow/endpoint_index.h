// flow/endpoint_index.h - objects found by an endpoint that they hold themselves.
//
//   find(key) ─> hash ─> slots_  | tag, object | - | tag, object |   open addressing, linear
//   probing
//
// One object needs no table: most client ports talk to one destination only. The index owns the
// slots, never the objects; an object must leave before its key changes or it dies. The hash is
// seeded once for the process, so that no peer can choose addresses that collide.
//
// Owner: whoever owns the objects. Thread: the owner's. Only insert() and erase() touch the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "proto/common/address.h"
#include "proto/common/hash.h"

namespace sluice::flow {

/// Random, the same for the life of the process.
[[nodiscard]] std::uint64_t table_seed() noexcept;
inline const std::uint64_t kTableSeed = table_seed();

[[nodiscard]] inline std::uint64_t endpoint_hash(const Endpoint& endpoint) noexcept {
  // family(1) address(16), then the port: an IPv4 address leaves all but the first word empty.
  static_assert(std::is_trivially_copyable_v<IpAddress> && sizeof(IpAddress) == 17);
  std::uint64_t head = 0;
  std::memcpy(&head, &endpoint.ip, sizeof head);
  if (endpoint.ip.is_v4()) return mix64(head, kTableSeed ^ endpoint.port);
  std::uint64_t middle = 0;
  const auto* bytes = reinterpret_cast<const std::byte*>(&endpoint.ip);
  std::memcpy(&middle, bytes + sizeof head, sizeof middle);
  const auto last = static_cast<std::uint64_t>(bytes[sizeof head + sizeof middle]);
  return mix64(mix64(head, kTableSeed ^ endpoint.port), middle ^ last << 56U);
}

/// `KeyOf{}(const T&)` gives the endpoint of an object.
template <class T, class KeyOf>
class EndpointIndex {
 public:
  EndpointIndex() noexcept = default;
  EndpointIndex(const EndpointIndex&) = delete;
  EndpointIndex& operator=(const EndpointIndex&) = delete;
  ~EndpointIndex() = default;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// nullptr: none.
  [[nodiscard]] T* find(const Endpoint& key) const noexcept {
    if (slots_ == nullptr) return only_ != nullptr && key_of(*only_) == key ? only_ : nullptr;
    const std::uint64_t hash = endpoint_hash(key);
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = hash & mask_; slots_[at].object != nullptr; at = (at + 1) & mask_)
      if (slots_[at].tag == tag && key_of(*slots_[at].object) == key) return slots_[at].object;
    return nullptr;
  }

  /// No object with its key may be here yet.
  void insert(T& object) {
    if (count_ == 0) {
      only_ = &object;
      count_ = 1;
      return;
    }
    if (slots_ == nullptr) {
      resize(kLeastSlots);
      place(*only_);
      only_ = nullptr;
    } else if ((count_ + 1) * 4 > (mask_ + 1) * 3) {
      resize((mask_ + 1) * 2);
    }
    place(object);
    ++count_;
  }

  /// It must be here.
  void erase(const T& object) noexcept {
    if (--count_ == 0) {
      only_ = nullptr;
      slots_.reset();
      return;
    }
    std::size_t hole = endpoint_hash(key_of(object)) & mask_;
    while (slots_[hole].object != &object) hole = (hole + 1) & mask_;
    // Whoever was pushed past the hole moves back, so that no search ends early.
    for (std::size_t at = (hole + 1) & mask_; slots_[at].object != nullptr; at = (at + 1) & mask_) {
      const std::size_t wish = endpoint_hash(key_of(*slots_[at].object)) & mask_;
      if (((at - wish) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    // A burst that is over gives its table back.
    if (mask_ + 1 > kLeastSlots && count_ * 8 < mask_ + 1) resize((mask_ + 1) / 2);
  }

  /// `visit(T&)`; it must not insert or erase.
  template <class F>
  void for_each(F&& visit) const {
    if (only_ != nullptr) visit(*only_);
    if (slots_ == nullptr) return;
    for (std::size_t at = 0; at <= mask_; ++at)
      if (slots_[at].object != nullptr) visit(*slots_[at].object);
  }

 private:
  struct Slot {
    T* object = nullptr;
    std::uint32_t tag = 0;
  };
  static constexpr std::size_t kLeastSlots = 8;

  static const Endpoint& key_of(const T& object) noexcept { return KeyOf{}(object); }
  static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32U);
  }
  void place(T& object) noexcept {
    const std::uint64_t hash = endpoint_hash(key_of(object));
    std::size_t at = hash & mask_;
    while (slots_[at].object != nullptr) at = (at + 1) & mask_;
    slots_[at] = {&object, tag_of(hash)};
  }
  void resize(std::size_t slots) {
    const std::size_t former = slots_ == nullptr ? 0 : mask_ + 1;
    const std::unique_ptr<Slot[]> old = std::move(slots_);
    slots_ = std::make_unique<Slot[]>(slots);
    mask_ = slots - 1;
    for (std::size_t at = 0; at < former; ++at)
      if (old[at].object != nullptr) place(*old[at].object);
  }

  T* only_ = nullptr;  ///< while there is one and no table
  std::unique_ptr<Slot[]> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace sluice::flow
