// diff/values.h - values of a configuration as a person would write them, for "old -> new".
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/model/dns.h"
#include "controlplane/model/general.h"
#include "controlplane/model/rule_provider.h"
#include "controlplane/model/sniffer.h"

namespace sluice::model {

[[nodiscard]] std::string show(bool v);
[[nodiscard]] std::string show(const std::string& v);
[[nodiscard]] std::string show(Millis v);
[[nodiscard]] std::string show(const Prefix& v);
[[nodiscard]] std::string show(const Endpoint& v);
[[nodiscard]] std::string show(LogLevel v);
[[nodiscard]] std::string show(contract::Mode v);
[[nodiscard]] std::string show(contract::CaptureMode v);
[[nodiscard]] std::string show(contract::RemovedFlows v);
[[nodiscard]] std::string show(WhenDown v);
[[nodiscard]] std::string show(StatsStorage v);
[[nodiscard]] std::string show(DnsMode v);
[[nodiscard]] std::string show(FakeIpFilterMode v);
[[nodiscard]] std::string show(const DnsServer& v);
[[nodiscard]] std::string show(GeoLoader v);
[[nodiscard]] std::string show(GeositeMatcher v);
[[nodiscard]] std::string show(FindProcess v);
[[nodiscard]] std::string show(PortRange v);
[[nodiscard]] std::string show(const SniffList& v);

template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>)
[[nodiscard]] std::string show(T v) {
  return std::to_string(v);
}
template <class T>
[[nodiscard]] std::string show(const std::optional<T>& v) {
  return v ? show(*v) : "(none)";
}
template <class T>
[[nodiscard]] std::string show(const std::vector<T>& v) {
  std::string out;
  for (const T& item : v) out += (out.empty() ? "" : ", ") + show(item);
  return "[" + out + "]";
}

}  // namespace sluice::model
