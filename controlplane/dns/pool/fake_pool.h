// dns/pool/fake_pool.h - one range of fake addresses: name <-> address, bounded, oldest out first.
//
//   base+4, base+5, … last-1, then base+4 again      next_ = the offset that is tried next
//
// A name keeps its address while it is in the pool. When `max_count` names are in, the one that was
// asked longest ago leaves. An address is `acknowledged` once the data plane holds its binding;
// only then may an answer carry it (docs/decisions/fake-ip-ack.md).
//
// Owner: FakeIp. Thread: the DNS loop's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::dns {

class FakePool {
 public:
  /// A range of fewer than 8 addresses has room for none.
  FakePool(const Prefix& range, std::size_t max_count);
  FakePool(FakePool&&) noexcept = default;
  FakePool& operator=(FakePool&&) noexcept = default;
  FakePool(const FakePool&) = delete;
  FakePool& operator=(const FakePool&) = delete;
  ~FakePool() = default;

  struct Entry {
    std::string name;
    std::uint32_t offset = 0;  ///< from the range's base
    bool acknowledged = false;
    bool queued = false;               ///< waits to be sent; FakeIp's
    std::uint64_t change = 0;          ///< number of the last change that held it; FakeIp's
    std::vector<IpAddress> last_good;  ///< real addresses, as the data plane holds them
  };
  struct Reserved {
    IpAddress address;
    bool acknowledged = false;
    bool fresh = false;  ///< the name was not in the pool
    std::optional<IpAddress> evicted;
  };

  /// The name's address, a new one when it has none. Marks the name as just asked.
  /// Errors: no_room (the range holds no usable address).
  [[nodiscard]] Result<Reserved> reserve(std::string_view name);
  /// nullptr when the name has no address. Does not mark it as asked.
  [[nodiscard]] Entry* find(std::string_view name) noexcept;
  [[nodiscard]] Entry* at(const IpAddress& address) noexcept;
  [[nodiscard]] const Entry* at(const IpAddress& address) const noexcept;
  /// The data plane holds `name` at `address`; no effect if that has changed meanwhile.
  void acknowledge(std::string_view name, const IpAddress& address) noexcept;
  void acknowledge_all() noexcept;

  [[nodiscard]] bool contains(const IpAddress& address) const noexcept {
    return range_.contains(address);
  }
  [[nodiscard]] IpAddress address_of(const Entry& entry) const noexcept;
  /// Oldest first.
  [[nodiscard]] const std::list<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::size_t max_count() const noexcept { return max_count_; }
  [[nodiscard]] const Prefix& range() const noexcept { return range_; }

  /// Puts a remembered pair back as the newest. Errors: invalid (outside the usable range), exists
  /// (name or address is taken), no_room (full: nothing is evicted for it).
  Status restore(std::string_view name, const IpAddress& address);
  [[nodiscard]] std::uint32_t next() const noexcept { return next_; }
  /// An offset outside the usable range starts from the beginning.
  void set_next(std::uint32_t offset) noexcept;
  /// Forgets every name, not the offset: an address that a client may still hold is used last.
  void clear() noexcept;

 private:
  using Position = std::list<Entry>::iterator;
  [[nodiscard]] std::uint32_t after(std::uint32_t offset) const noexcept;
  IpAddress evict_oldest();
  void insert(std::string_view name, std::uint32_t offset);

  Prefix range_;
  std::uint32_t last_;  // last usable offset; below kFirst when there is none
  std::size_t max_count_;
  std::uint32_t next_;
  std::list<Entry> entries_;                                // oldest first
  std::unordered_map<std::string_view, Position> by_name_;  // views into the entries
  std::unordered_map<std::uint32_t, Position> by_offset_;
};

}  // namespace sluice::dns
