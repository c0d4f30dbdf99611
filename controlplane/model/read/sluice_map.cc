#include <algorithm>

#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

using contract::CaptureMode;
using contract::RemovedFlows;

// The pools cannot work with less: two blocks for each of a few flows on each worker.
constexpr std::uint64_t kLeastMemory = std::uint64_t{4} << 20;
// A fake address costs about 200 bytes; a v4 pool of /16 holds 65,533.
constexpr std::uint64_t kLeastFakeIps = 256;
constexpr std::uint64_t kMostFakeIps = 1'000'000;
// One client that resolves names needs some; a million would take 64 ports' worth of addresses.
constexpr std::uint64_t kLeastMappings = 16;
constexpr std::uint64_t kMostMappings = 1'000'000;
// Linux keeps tables 253 to 255 for itself, and rule 0 is the local table.
constexpr std::uint64_t kReservedTables[] = {253, 254, 255};

constexpr std::pair<std::string_view, CaptureMode> kCaptureModes[] = {
    {"tproxy", CaptureMode::tproxy},
    {"redirect", CaptureMode::redirect},
};
constexpr std::pair<std::string_view, WhenDown> kWhenDown[] = {
    {"open", WhenDown::open},
    {"closed", WhenDown::closed},
};
constexpr std::pair<std::string_view, RemovedFlows> kRemovedFlows[] = {
    {"keep", RemovedFlows::keep},
    {"close", RemovedFlows::close},
};

void read_interfaces(const Fields& capture, std::vector<std::string>& out) {
  for (const Value& v : capture.texts("interfaces")) {
    if (!is_device_name(v.text())) {
      capture.error(v.place(), quote(v.text()) + " is not a network device name",
                    "write at most 15 bytes, as `ip link` shows it");
    } else if (std::ranges::find(out, v.text()) == out.end()) {
      out.emplace_back(v.text());
    }
  }
}

void check_marks(const Fields& fields, const Capture& capture) {
  const auto inside = [&](std::uint32_t mark) {
    return mark != 0 && (mark & ~capture.mark_mask) == 0;
  };
  if (!inside(capture.bypass_mark) || !inside(capture.tproxy_mark) ||
      capture.bypass_mark == capture.tproxy_mark)
    fields.error(fields.place("mark-mask"),
                 "bypass-mark and tproxy-mark must differ, be above 0 and lie in mark-mask",
                 "leave all three out for 0x100, 0x200 and 0xff00");
  if (std::ranges::find(kReservedTables, capture.route_table) != std::end(kReservedTables))
    fields.error(fields.place("route-table"), "is a table of the system",
                 "choose another number, or leave it out for 100");
}

void read_capture(const Fields& map, Capture& out) {
  const auto capture = map.map("capture");
  if (!capture) return;
  read_interfaces(*capture, out.interfaces);
  capture->choice("mode", kCaptureModes, out.mode);
  capture->flag("dns-hijack", out.dns_hijack);
  capture->flag("router-traffic", out.router_traffic);
  capture->choice("when-down", kWhenDown, out.when_down);
  capture->number("bypass-mark", out.bypass_mark, 1);
  capture->number("tproxy-mark", out.tproxy_mark, 1);
  capture->number("mark-mask", out.mark_mask, 1);
  capture->number("route-table", out.route_table, 1);
  capture->number("rule-priority", out.rule_priority, 2, 32'765);
  check_marks(*capture, out);
}

void read_timeouts(const Fields& map, Timeouts& out) {
  const auto timeouts = map.map("timeouts");
  if (!timeouts) return;
  timeouts->span("tcp-idle", out.tcp_idle, 10_s, 604'800_s);
  timeouts->span("tcp-half-closed", out.tcp_half_closed, 1_s, 86'400_s);
  timeouts->span("udp-idle", out.udp_idle, 1_s, 86'400_s);
  timeouts->span("handshake", out.handshake, 100_ms, 300_s);
  timeouts->span("connect", out.connect, 100_ms, 300_s);
}

// Below a day nothing could be compared; a quarter by the hour is some 50 MiB.
constexpr std::uint32_t kLeastHours = 24;
constexpr std::uint32_t kMostHours = 2'208;
constexpr std::uint32_t kMostDays = 3'660;
constexpr std::uint32_t kLeastHosts = 10;
constexpr std::uint32_t kMostHosts = 4'096;
// One hour of the most hosts must fit.
constexpr std::uint64_t kLeastStats = std::uint64_t{1} << 20;

constexpr std::pair<std::string_view, StatsStorage> kStorages[] = {
    {"auto", StatsStorage::automatic},
    {"memory", StatsStorage::memory},
    {"disk", StatsStorage::disk},
};

void read_stats(const Fields& map, Statistics& out) {
  const auto stats = map.map("stats");
  if (!stats) return;
  stats->number("keep-hours", out.keep_hours, kLeastHours, kMostHours);
  stats->number("keep-days", out.keep_days, 1, kMostDays);
  stats->number("top-hosts", out.top_hosts, kLeastHosts, kMostHosts);
  stats->size("max-size", out.max_size, kLeastStats);
  stats->choice("storage", kStorages, out.storage);
}

void read_udp(const Fields& map, Udp& out) {
  const auto udp = map.map("udp");
  if (!udp) return;
  udp->number("max-mappings", out.max_mappings, kLeastMappings, kMostMappings);
  udp->number("max-mappings-per-client", out.max_mappings_per_client, kLeastMappings,
              kMostMappings);
  udp->span("dns-timeout", out.dns_timeout, 1_s, 86'400_s);
}

}  // namespace

void read_sluice(const Fields& top, SluiceMap& out) {
  const auto map = top.map("sluice");
  if (!map) return;
  read_capture(*map, out.capture);
  read_timeouts(*map, out.timeouts);
  read_stats(*map, out.stats);
  map->text("leases", out.leases);
  read_udp(*map, out.udp);
  map->size("memory-limit", out.memory_limit, kLeastMemory);
  map->number("fake-ip-size", out.fake_ip_size, kLeastFakeIps, kMostFakeIps);
  map->choice("removed-flows", kRemovedFlows, out.removed_flows);
}

}  // namespace sluice::model
