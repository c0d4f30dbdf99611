// app/set_sources.h - the files behind the sets of a configuration, and how newer bytes get there.
//
//   rule-providers: ads {http}   ──> HOME/rules/ads.yaml   <── its mirrors
//                   lan {file}   ──> HOME/lan.txt          watched
//                   few {inline} ──> the configuration itself
//   GEOSITE, GEOIP, IP-ASN lines ──> HOME/GeoSite.dat ...  <── geox-url
//
// Pure but for a look at which geo files the home directory has. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/provider/places.h"
#include "controlplane/provider/source.h"
#include "controlplane/ruleset/source.h"
#include "proto/contract/digest.h"

namespace sluice::control_plane {

/// Where files of a configuration may lie.
struct FilePlaces {
  std::string config;          ///< the user's file: nobody else may write it
  provider::PlaceRules rules;  ///< home directory and what SAFE_PATHS adds
};

struct SetSource {
  sets::Source content;       ///< how compile reads it
  provider::Source transfer;  ///< how newer bytes get here
  // As written, of lists.
  model::ProviderKind kind = model::ProviderKind::http;
  model::RuleBehavior behavior = model::RuleBehavior::domain;
  model::RuleFormat format = model::RuleFormat::yaml;
  friend bool operator==(const SetSource&, const SetSource&) = default;
};

/// One that a running configuration needs, and what of it was compiled.
struct RunningSet {
  SetSource source;
  contract::Digest content{};  ///< zero: there was none
};

struct SetSources {
  std::vector<SetSource> all;               ///< providers in file order, then the geo files
  std::vector<model::Diagnostic> problems;  ///< providers that cannot be used as they are written
};

/// `file` is the name in diagnostics.
[[nodiscard]] SetSources set_sources(const model::Config& config, const std::string& file,
                                     const FilePlaces& places);

}  // namespace sluice::control_plane
