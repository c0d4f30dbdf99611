#include "controlplane/model/load.h"

#include <utility>

#include "controlplane/model/read/readers.h"

namespace sluice::model {
namespace {

/// The reason why a document cannot be a configuration at all.
bool report_no_map(const Document& document, Report& report) {
  const Node* root = document.root();
  if (root == nullptr || root->is_null()) {
    report.error({{1, 1}, ""}, "the file is empty", "write at least `mixed-port: 7890`");
    return true;
  }
  if (root->is_mapping()) return false;
  report.error({root->position(), ""},
               "the file is " + std::string(shape_of(*root)) + ", a map of keys is needed",
               "write `key: value` lines");
  return true;
}

}  // namespace

LoadResult read_config(const Document& document, std::string_view file_name) {
  LoadResult result;
  Report report(file_name);
  if (report_no_map(document, report)) {
    result.diagnostics = report.finish();
    return result;
  }
  const Fields top(*document.root(), "", report);
  Config config;
  References references;
  check_keys(*document.root(), report);
  read_general(top, config.general);
  read_hosts(top, config.hosts);
  read_dns(top, config.dns);
  read_sluice(top, config.sluice);
  read_listeners(top, config, references);
  read_proxies(top, config.proxies, references);
  read_groups(top, config.groups, references);
  read_rules(top, config.rules);
  read_sub_rules(top, config.sub_rules);
  read_rule_providers(top, config.rule_providers);
  read_geo(top, config.geo);
  read_sniffer(top, config.rule_providers, config.sniffer);
  resolve_names(references, config, report);
  resolve_rules(config, report);
  check_effects(top, config, references, report);
  const bool usable = !report.has_errors();
  result.diagnostics = report.finish();
  if (usable) result.config = std::move(config);
  return result;
}

}  // namespace sluice::model
