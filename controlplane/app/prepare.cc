#include "controlplane/app/prepare.h"

#include <algorithm>
#include <utility>

#include "controlplane/model/diff.h"
#include "controlplane/model/load.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
dns::DnsOptions dns_options(const model::Config& config) {
  dns::DnsOptions out;
  out.dns = config.dns;
  // Addresses that would be refused are not handed out.
  out.dns.ipv6 = config.dns.ipv6 && config.general.ipv6;
  out.hosts = config.hosts;
  const model::Capture& capture = config.sluice.capture;
  if (capture.enabled() && capture.dns_hijack) out.hijack_devices = capture.interfaces;
  out.fake_ip_size = config.sluice.fake_ip_size;
  return out;
}

std::shared_ptr<Running> make_running(const model::Config& config, compile::CompileResult compiled,
                                      const std::string& file) {
  auto out = std::make_shared<Running>();
  out->manifest = std::move(compiled.manifest);
  out->blobs = std::move(compiled.blobs);
  out->legend = compile::make_legend(config, file);
  out->names = dns_options(config);
  out->log_level = config.general.log_level;
  out->store_selected = config.general.store_selected;
  out->store_fake_ip = config.general.store_fake_ip;
  out->stats = config.sluice.stats;
  out->leases = config.sluice.leases;
  return out;
}

std::vector<std::string> changes_between(const std::string& before, const std::string& after) {
  const model::LoadResult a = model::load_config(before, "");
  const model::LoadResult b = model::load_config(after, "");
  if (!a.config || !b.config) return {};
  return model::diff(*a.config, *b.config);
}

std::string first_error(const std::vector<model::Diagnostic>& diagnostics) {
  const auto is_error = [](const model::Diagnostic& d) {
    return d.severity == model::Severity::error;
  };
  const auto first = std::ranges::find_if(diagnostics, is_error);
  if (first == diagnostics.end()) return {};
  const auto count = std::ranges::count_if(diagnostics, is_error);
  if (count == 1) return first->to_text();
  return first->to_text() + " (and " + std::to_string(count - 1) + " more)";
}

void log_diagnostics(const std::vector<model::Diagnostic>& diagnostics) {
  for (const model::Diagnostic& d : diagnostics) {
    if (d.severity == model::Severity::error)
      SLUICE_LOG(error, "config", "%s", d.to_text().c_str());
    else
      SLUICE_LOG(warning, "config", "%s", d.to_text().c_str());
  }
}

}  // namespace sluice::control_plane
