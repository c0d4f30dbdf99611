#include "controlplane/model/diff/values.h"

namespace sluice::model {

std::string show(bool v) {
  return v ? "true" : "false";
}
std::string show(const std::string& v) {
  return v.empty() ? "(none)" : v;
}
std::string show(Millis v) {
  return std::to_string(v.count) + " ms";
}
std::string show(const Prefix& v) {
  return v.to_string();
}
std::string show(const Endpoint& v) {
  return v.to_string();
}
std::string show(LogLevel v) {
  return std::string(to_text(v));
}
std::string show(contract::Mode v) {
  return v == contract::Mode::rule ? "rule" : v == contract::Mode::global ? "global" : "direct";
}
std::string show(contract::CaptureMode v) {
  return v == contract::CaptureMode::tproxy ? "tproxy" : "redirect";
}
std::string show(contract::RemovedFlows v) {
  return v == contract::RemovedFlows::keep ? "keep" : "close";
}
std::string show(WhenDown v) {
  return v == WhenDown::open ? "open" : "closed";
}
std::string show(StatsStorage v) {
  switch (v) {
    case StatsStorage::memory:
      return "memory";
    case StatsStorage::disk:
      return "disk";
    case StatsStorage::automatic:
      break;
  }
  return "auto";
}
std::string show(DnsMode v) {
  return v == DnsMode::fake_ip ? "fake-ip" : "normal";
}
std::string show(FakeIpFilterMode v) {
  return v == FakeIpFilterMode::whitelist ? "whitelist" : "blacklist";
}
std::string show(const DnsServer& v) {
  if (v.transport == DnsTransport::system) return "system";
  return (v.transport == DnsTransport::tcp ? "tcp://" : "udp://") + v.host + ":" +
         std::to_string(v.port);
}
std::string show(GeoLoader v) {
  return v == GeoLoader::standard ? "standard" : "memconservative";
}
std::string show(GeositeMatcher v) {
  return v == GeositeMatcher::mph ? "mph" : "succinct";
}
std::string show(FindProcess v) {
  return v == FindProcess::off ? "off" : v == FindProcess::always ? "always" : "strict";
}

std::string show(PortRange v) {
  std::string out = std::to_string(v.first);
  if (v.first != v.last) out += "-" + std::to_string(v.last);
  return out;
}
std::string show(const SniffList& v) {
  std::string out;
  for (const std::string& entry : v.written) out += (out.empty() ? "" : ", ") + entry;
  return "[" + out + "]";
}

}  // namespace sluice::model
