#include <algorithm>
#include <unordered_set>

#include "dataplane/route/check.h"

namespace sluice::route {
namespace {

// linux/rtnetlink.h: RT_TABLE_DEFAULT, RT_TABLE_MAIN and RT_TABLE_LOCAL belong to the system.
constexpr std::uint32_t kFirstSystemTable = 253;
constexpr std::uint32_t kLastSystemTable = 255;
// The kernel's own rules stand at 0 (local) and 32766 (main).
constexpr std::uint32_t kMainRulePriority = 32'766;
// net/tcp.h: MAX_TCP_KEEPIDLE and MAX_TCP_KEEPINTVL, seconds.
constexpr std::uint32_t kMaxKeepAlive_s = 32'767;
// Below this the pools cannot hold one flow in each direction per worker.
constexpr std::uint64_t kMinMemory_bytes = 1U << 20U;

Check check_span(Millis span, std::string_view field) {
  if (span.count < 1 || span.count > kMaxSpan_ms)
    return refuse("limits." + std::string(field), "must be 1 ms to 7 days");
  return {};
}

Check check_limits(const contract::Limits& limits) {
  if (limits.memory != 0 && limits.memory < kMinMemory_bytes)
    return refuse("limits.memory", "must be 0 or at least 1 MiB");
  if (auto wrong = check_span(limits.tcp_idle, "tcp_idle")) return wrong;
  if (auto wrong = check_span(limits.tcp_half_closed, "tcp_half_closed")) return wrong;
  if (auto wrong = check_span(limits.udp_idle, "udp_idle")) return wrong;
  if (limits.udp_question_idle.count < 0 || limits.udp_question_idle.count > kMaxSpan_ms)
    return refuse("limits.udp_question_idle", "must be 0 or at most 7 days");
  if (auto wrong = check_span(limits.handshake, "handshake")) return wrong;
  if (auto wrong = check_span(limits.connect, "connect")) return wrong;
  if (limits.keep_alive_idle_s > kMaxKeepAlive_s)
    return refuse("limits.keep_alive_idle_s", "is more than 32767 s");
  if (limits.keep_alive_interval_s > kMaxKeepAlive_s)
    return refuse("limits.keep_alive_interval_s", "is more than 32767 s");
  return {};
}

Check check_fake_ranges(const std::vector<Prefix>& ranges) {
  if (ranges.size() > kMaxFakeRanges) return refuse("fake_ranges", "has too many items");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_prefix(ranges[i])) return refuse(place("fake_ranges", i), "is no prefix");
    if (ranges[i].length == 0) return refuse(place("fake_ranges", i), "takes every address");
    for (std::size_t j = 0; j < i; ++j)
      if (ranges[i].contains(ranges[j].base) || ranges[j].contains(ranges[i].base))
        return refuse(place("fake_ranges", i), "overlaps " + place("fake_ranges", j));
  }
  return {};
}

Check check_marks(const contract::Capture& c) {
  const auto inside = [&c](std::uint32_t mark) { return mark != 0 && (mark & ~c.mark_mask) == 0; };
  if (c.mark_mask == 0) return refuse("capture.mark_mask", "is 0");
  if (!inside(c.bypass_mark)) return refuse("capture.bypass_mark", "is 0 or outside the mask");
  if (!inside(c.tproxy_mark)) return refuse("capture.tproxy_mark", "is 0 or outside the mask");
  if (c.bypass_mark == c.tproxy_mark)
    return refuse("capture.tproxy_mark", "is the bypass mark as well");
  const bool system = c.route_table >= kFirstSystemTable && c.route_table <= kLastSystemTable;
  if (c.route_table == 0 || system) return refuse("capture.route_table", "belongs to the system");
  // One is taken for the exception of LAN subnets, which stands at the priority minus 1.
  if (c.rule_priority < 2 || c.rule_priority >= kMainRulePriority)
    return refuse("capture.rule_priority", "must be 2 to 32765");
  return {};
}

}  // namespace

Check check_capture(const contract::Capture& capture) {
  if (capture.mode > contract::CaptureMode::redirect) return refuse("capture.mode", "is not known");
  if (capture.interfaces.size() > kMaxDevices)
    return refuse("capture.interfaces", "has too many items");
  if (capture.dns.size() > kMaxDevices) return refuse("capture.dns", "has too many items");
  std::unordered_set<std::string_view> devices;
  for (std::size_t i = 0; i < capture.interfaces.size(); ++i) {
    if (!is_device_name(capture.interfaces[i]))
      return refuse(place("capture.interfaces", i), "is no device name");
    if (!devices.insert(capture.interfaces[i]).second)
      return refuse(place("capture.interfaces", i), "stands twice");
  }
  devices.clear();
  for (std::size_t i = 0; i < capture.dns.size(); ++i) {
    const std::string at = place("capture.dns", i);
    const contract::DnsPort& dns = capture.dns[i];
    if (!is_device_name(dns.device)) return refuse(at + ".device", "is no device name");
    if (!devices.insert(dns.device).second) return refuse(at + ".device", "stands twice");
    if (dns.udp == 0) return refuse(at + ".udp", "must be 1 to 65535");
    if (dns.tcp == 0) return refuse(at + ".tcp", "must be 1 to 65535");
  }
  return check_marks(capture);
}

Check check_general(const contract::Manifest& manifest) {
  if (manifest.mode > contract::Mode::direct) return refuse("mode", "is not known");
  if (manifest.removed_flows > contract::RemovedFlows::close)
    return refuse("removed_flows", "is not known");
  if (!manifest.interface_name.empty() && !is_device_name(manifest.interface_name))
    return refuse("interface_name", "is no device name");
  if (auto wrong = check_fake_ranges(manifest.fake_ranges)) return wrong;
  return check_limits(manifest.limits);
}

}  // namespace sluice::route
