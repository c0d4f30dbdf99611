#include "controlplane/app/prepare.h"

#include <algorithm>
#include <utility>

#include "controlplane/compile/compile.h"
#include "controlplane/model/diff.h"
#include "controlplane/model/load.h"
#include "proto/common/log.h"

namespace sluice::control_plane {
namespace {

/// Sets match nothing, and local time is UTC.
class NoContent final : public compile::SetInput, public compile::ZoneInput {
 public:
  compile::SetTraits read(const compile::SetRef&, compile::SetEntries&) override { return {}; }
  ruleset::Zone zone(std::string_view) override { return {}; }
};

}  // namespace

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

Prepared prepare(std::string text, const std::string& file) {
  Prepared out;
  out.text = std::move(text);
  model::LoadResult loaded = model::load_config(out.text, file);
  out.diagnostics = std::move(loaded.diagnostics);
  if (!loaded.config) return out;
  NoContent inputs;
  auto compiled = compile::compile(*loaded.config, {inputs, inputs});
  if (!compiled) {
    model::Diagnostic problem;
    problem.severity = model::Severity::error;
    problem.file = file;
    problem.path = "rules";
    problem.problem = "do not fit one compiled block";
    problem.remedy = "write fewer or shorter lines";
    out.diagnostics.push_back(std::move(problem));
    return out;
  }
  auto running = std::make_shared<Running>();
  running->manifest = std::move(compiled->manifest);
  running->blobs = std::move(compiled->blobs);
  running->legend = compile::make_legend(*loaded.config, file);
  running->names = dns_options(*loaded.config);
  running->log_level = loaded.config->general.log_level;
  running->store_selected = loaded.config->general.store_selected;
  running->store_fake_ip = loaded.config->general.store_fake_ip;
  out.running = std::move(running);
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
