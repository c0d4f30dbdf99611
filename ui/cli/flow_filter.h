// cli/flow_filter.h - which flows a user wants to see, and how fast they are. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proto/common/clock.h"
#include "sluice/v1/management.pb.h"

namespace sluice::cli {

namespace pb = ::sluice::v1::management;

/// An empty field wants all.
struct FlowFilter {
  std::string client;    ///< address, prefix ("192.168.1.0/24"), host name or hardware address
  std::string host;      ///< a name and those below it, or an address
  std::string outbound;  ///< anywhere in the chain
  std::string rule;      ///< "DOMAIN-SUFFIX,a.test", its type or its payload
  std::uint64_t min_rate = 0;  ///< bytes a second, both ways together

  /// All but the rate, which takes two looks.
  [[nodiscard]] bool wants(const pb::Flow& flow) const;
  [[nodiscard]] bool empty() const noexcept {
    return client.empty() && host.empty() && outbound.empty() && rule.empty() && min_rate == 0;
  }
};

/// Bytes a second.
struct FlowRate {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  [[nodiscard]] std::uint64_t both() const noexcept { return up + down; }
};

/// What flows moved between two tables.
class FlowRates {
 public:
  /// The first table gives no rates. A flow that is new since the last one has all that it moved.
  void look(const pb::FlowTable& table, Moment now);
  [[nodiscard]] FlowRate of(const pb::Flow& flow) const;
  [[nodiscard]] bool known() const noexcept { return looks_ > 1; }

 private:
  struct Moved {
    std::uint64_t up = 0;
    std::uint64_t down = 0;
  };
  std::map<std::uint64_t, Moved> before_;
  std::map<std::uint64_t, FlowRate> rates_;
  Moment last_{};
  int looks_ = 0;
};

/// Leaves what the filter wants. Without known rates `min_rate` lets all through.
void keep_wanted(pb::FlowTable& table, const FlowFilter& filter, const FlowRates& rates);

/// "DOMAIN-SUFFIX,a.test"
[[nodiscard]] std::string rule_text(const pb::Flow& flow);
/// Host name of the client where it has one, else its address.
[[nodiscard]] const std::string& client_text(const pb::Flow& flow);

}  // namespace sluice::cli
