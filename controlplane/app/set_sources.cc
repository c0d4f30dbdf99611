#include "controlplane/app/set_sources.h"

#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "controlplane/app/rule_places.h"
#include "proto/common/text.h"

namespace sluice::control_plane {
namespace {

using provider::Places;

constexpr char kUserAgent[] = "sluice/" SLUICE_VERSION;
/// Where Mihomo keeps downloaded lists that name no path, below the home directory.
constexpr char kListFolder[] = "rules";
constexpr Millis kHour{3'600'000};

/// A geo file under the names that programs of the field give it, whatever their case.
struct GeoFile {
  sets::SourceKind kind;
  const char* provider;                      ///< its name as a source
  const char* fresh;                         ///< the name that a download gets
  std::array<std::string_view, 3> accepted;  ///< lower case; the first one found is used
};
constexpr GeoFile kGeosite{
    sets::SourceKind::geosite, "geosite", "GeoSite.dat", {"geosite.dat", {}, {}}};
constexpr GeoFile kGeoipDat{
    sets::SourceKind::geoip_dat, "geoip", "GeoIP.dat", {"geoip.dat", {}, {}}};
constexpr GeoFile kCountries{sets::SourceKind::country_mmdb,
                             "mmdb",
                             "geoip.metadb",
                             {"country.mmdb", "geoip.db", "geoip.metadb"}};
constexpr GeoFile kNetworks{
    sets::SourceKind::asn_mmdb, "asn", "ASN.mmdb", {"asn.mmdb", "geolite2-asn.mmdb", {}}};

/// The path below `home` of the file that is there, or of the one to come.
std::string geo_path(const std::string& home, const GeoFile& file) {
  std::error_code broken;
  for (const auto& entry : std::filesystem::directory_iterator(home, broken)) {
    const std::string name = entry.path().filename().string();
    for (const std::string_view accepted : file.accepted)
      if (!accepted.empty() && iequals(name, accepted)) return entry.path().string();
  }
  return home + "/" + file.fresh;
}

class Collector {
 public:
  Collector(const model::Config& config, const std::string& file, const FilePlaces& places)
      : config_(config), file_(file), home_(places.rules.home), places_(places.rules) {
    // What lies elsewhere cannot be a provider's either; then nothing is claimed.
    (void)places_.claim("the configuration", places.config, Places::Use::write);
  }

  SetSources collect() {
    for (const model::RuleProvider& provider : config_.rule_providers) add(provider);
    const model::Geo& geo = config_.geo;
    add(kGeosite, geo.url.geosite);
    add(geo.dat ? kGeoipDat : kCountries, geo.dat ? geo.url.geoip : geo.url.mmdb);
    add(kNetworks, geo.url.asn);
    return std::move(out_);
  }

 private:
  void add(const model::RuleProvider& from) {
    provider::Source transfer;
    transfer.name = from.name;
    transfer.kind = kind_of(from.kind);
    transfer.interval = from.interval;
    transfer.proxy = from.proxy;
    transfer.urls = from.urls;
    transfer.user_agent = user_agent();
    transfer.conditional = config_.geo.etag;
    for (const model::HeaderField& field : from.headers)
      transfer.headers[field.name] = field.values;
    if (transfer.kind != provider::Kind::inline_) {
      const bool own = transfer.kind == provider::Kind::http;
      const std::string written =
          from.path.empty() ? provider::default_path(kListFolder, from.urls.front()) : from.path;
      auto path = places_.claim("rule provider " + from.name, written,
                                own ? Places::Use::write : Places::Use::read);
      if (!path) return refuse(from.path_place, path.error());
      transfer.path = std::move(*path);
    }
    sets::Source content = sets::list_source(from, transfer.path);
    transfer.content = content.content;
    finish({std::move(content), std::move(transfer), from.kind, from.behavior, from.format},
           from.place);
  }

  void add(const GeoFile& file, const std::vector<std::string>& urls) {
    provider::Source transfer;
    transfer.name = file.provider;
    transfer.kind = provider::Kind::http;
    transfer.urls = urls;
    transfer.user_agent = user_agent();
    transfer.conditional = config_.geo.etag;
    const model::Geo& geo = config_.geo;
    if (geo.auto_update) transfer.interval = kHour * static_cast<int>(geo.update_interval_h);
    auto path = places_.claim(std::string(file.provider) + " file", geo_path(home_, file),
                              Places::Use::write);
    if (!path) return refuse({}, path.error());
    transfer.path = std::move(*path);
    SetSource source;
    source.content = sets::geo_source(file.kind, transfer.path);
    source.transfer = std::move(transfer);
    finish(std::move(source), {});
  }

  void finish(SetSource source, const model::Place& place) {
    source.transfer.most = source.content.most;
    if (const auto fault = provider::fault_of(source.transfer)) return refuse(place, *fault);
    out_.all.push_back(std::move(source));
  }

  void refuse(const model::Place& place, const std::string& sentence) {
    model::Diagnostic out;
    out.file = file_;
    put_place(out, place);
    put_sentence(out, sentence);
    out_.problems.push_back(std::move(out));
  }

  [[nodiscard]] std::string user_agent() const {
    return config_.geo.user_agent.empty() ? kUserAgent : config_.geo.user_agent;
  }

  static provider::Kind kind_of(model::ProviderKind kind) noexcept {
    switch (kind) {
      case model::ProviderKind::http:
        return provider::Kind::http;
      case model::ProviderKind::file:
        return provider::Kind::file;
      case model::ProviderKind::inline_:
        break;
    }
    return provider::Kind::inline_;
  }

  const model::Config& config_;
  const std::string& file_;
  const std::string& home_;
  Places places_;
  SetSources out_;
};

}  // namespace

SetSources set_sources(const model::Config& config, const std::string& file,
                       const FilePlaces& places) {
  return Collector(config, file, places).collect();
}

}  // namespace sluice::control_plane
