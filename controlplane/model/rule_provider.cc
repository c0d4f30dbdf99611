#include "controlplane/model/rule_provider.h"

namespace sluice::model {
namespace {

constexpr const char* kRelease =
    "https://github.com/MetaCubeX/meta-rules-dat/releases/download/latest/";

}  // namespace

std::string_view to_text(ProviderKind kind) noexcept {
  switch (kind) {
    case ProviderKind::http:
      return "http";
    case ProviderKind::file:
      return "file";
    case ProviderKind::inline_:
      break;
  }
  return "inline";
}

std::string_view to_text(RuleBehavior behavior) noexcept {
  switch (behavior) {
    case RuleBehavior::domain:
      return "domain";
    case RuleBehavior::ipcidr:
      return "ipcidr";
    case RuleBehavior::classical:
      break;
  }
  return "classical";
}

std::string_view to_text(RuleFormat format) noexcept {
  switch (format) {
    case RuleFormat::yaml:
      return "yaml";
    case RuleFormat::text:
      return "text";
    case RuleFormat::mrs:
      return "mrs";
    case RuleFormat::srs:
      return "srs";
    case RuleFormat::json:
      return "json";
    case RuleFormat::adguard:
      return "adguard";
    case RuleFormat::hosts:
      break;
  }
  return "hosts";
}

GeoxUrl default_geox_url() {
  const std::string release = kRelease;
  return {{release + "geoip.dat"},
          {release + "geosite.dat"},
          {release + "geoip.metadb"},
          {release + "GeoLite2-ASN.mmdb"}};
}

}  // namespace sluice::model
