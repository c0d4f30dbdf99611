// model/rule_provider.h - entries of `rule-providers:` and the keys about geo databases, typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controlplane/model/diagnostic.h"
#include "proto/common/clock.h"

namespace sluice::model {

enum class ProviderKind : std::uint8_t { http, file, inline_ };
/// What the entries mean.
enum class RuleBehavior : std::uint8_t { domain, ipcidr, classical };
/// `srs`, `json` (sing-box), `adguard` and `hosts` are our extension; they are only read.
enum class RuleFormat : std::uint8_t { yaml, text, mrs, srs, json, adguard, hosts };

/// A field of the request and its values, each sent as a line of its own.
struct HeaderField {
  std::string name;
  std::vector<std::string> values;  ///< may be secrets: never shown
  friend bool operator==(const HeaderField&, const HeaderField&) = default;
};

struct RuleProvider {
  std::string name;
  ProviderKind kind = ProviderKind::http;
  RuleBehavior behavior = RuleBehavior::domain;
  RuleFormat format = RuleFormat::yaml;
  std::vector<std::string> urls;  ///< http: mirrors in the order of trying, at least one
  /// As written, relative to the home directory; http: empty = rules/md5(first url). Whether it may
  /// be used depends on the home directory and SAFE_PATHS: who opens it checks.
  std::string path;
  Place path_place;   ///< of `path`, else of the entry
  Millis interval{};  ///< http: between refreshes; 0 = fetched only while there is no copy
  std::string proxy;  ///< who carries the download: an existing name; empty: our own sockets
  std::vector<HeaderField> headers;  ///< file order
  std::uint64_t size_limit = 0;      ///< bytes; 0 = the bound of rule files
  std::vector<std::string> payload;  ///< inline_: entries as written
  std::string path_in_bundle;
  Place place;  ///< of the entry
  friend bool operator==(const RuleProvider& a, const RuleProvider& b) noexcept;
};

[[nodiscard]] std::string_view to_text(ProviderKind kind) noexcept;
[[nodiscard]] std::string_view to_text(RuleBehavior behavior) noexcept;
[[nodiscard]] std::string_view to_text(RuleFormat format) noexcept;

/// How much memory a geo file may take while it is looked into; `standard` trades it for speed.
enum class GeoLoader : std::uint8_t { memconservative, standard };
enum class GeositeMatcher : std::uint8_t { succinct, mph };
/// When the process behind a flow of this machine is looked up.
enum class FindProcess : std::uint8_t {
  off,
  strict,  ///< when a rule that needs it is reached
  always,
};

/// Where the geo files come from: mirrors in the order of trying.
struct GeoxUrl {
  std::vector<std::string> geoip;
  std::vector<std::string> geosite;
  std::vector<std::string> mmdb;
  std::vector<std::string> asn;
  friend bool operator==(const GeoxUrl&, const GeoxUrl&) = default;
};

/// The release of MetaCubeX/meta-rules-dat.
[[nodiscard]] GeoxUrl default_geox_url();

struct Geo {
  bool dat = false;  ///< geodata-mode: GEOIP from geoip.dat instead of an mmdb
  GeoLoader loader = GeoLoader::memconservative;
  GeositeMatcher matcher = GeositeMatcher::succinct;
  bool auto_update = false;
  std::uint32_t update_interval_h = 24;
  GeoxUrl url = default_geox_url();
  FindProcess find_process = FindProcess::strict;
  bool etag = true;        ///< conditional requests for downloads
  std::string user_agent;  ///< global-ua; empty: our own
  friend bool operator==(const Geo&, const Geo&) = default;
};

}  // namespace sluice::model
