// The keys about geo databases and about who owns a flow of this machine.
#include "controlplane/model/bounds.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

// A year: a longer wait is a mistake.
constexpr std::uint64_t kLongestInterval_h = 24 * 366;

constexpr std::pair<std::string_view, GeoLoader> kLoaders[] = {
    {"memconservative", GeoLoader::memconservative}, {"standard", GeoLoader::standard}};
constexpr std::pair<std::string_view, GeositeMatcher> kMatchers[] = {
    {"succinct", GeositeMatcher::succinct}, {"mph", GeositeMatcher::mph}};
constexpr std::pair<std::string_view, FindProcess> kFindProcess[] = {
    {"off", FindProcess::off}, {"strict", FindProcess::strict}, {"always", FindProcess::always}};

void read_mirrors(const Fields& map, std::string_view key, std::vector<std::string>& out) {
  if (!map.has(key)) return;
  std::vector<std::string> urls;
  for (const Value& v : map.texts(key)) {
    const std::string_view url = trim(v.text());
    if (!is_web_address(url))
      map.error(v.place(), "is not a web address", "write https:// or http:// before the host");
    else if (urls.size() == kMaxMirrors)
      map.error(v.place(), "more than " + std::to_string(kMaxMirrors) + " mirrors",
                "keep the best ones");
    else
      urls.emplace_back(url);
  }
  if (!urls.empty()) out = std::move(urls);
}

}  // namespace

void read_geo(const Fields& top, Geo& out) {
  top.flag("geodata-mode", out.dat);
  top.choice("geodata-loader", kLoaders, out.loader);
  top.choice("geosite-matcher", kMatchers, out.matcher);
  top.flag("geo-auto-update", out.auto_update);
  top.number("geo-update-interval", out.update_interval_h, 1, kLongestInterval_h);
  top.choice("find-process-mode", kFindProcess, out.find_process);
  if (out.find_process == FindProcess::always)
    top.warning(top.place("find-process-mode"), "always is known, not built yet",
                "programs are looked up when a rule needs it, as with strict");
  top.flag("etag-support", out.etag);
  top.text("global-ua", out.user_agent);
  if (out.user_agent.find_first_of("\r\n") != std::string::npos)
    top.error(top.place("global-ua"), "holds a line break", "write it on one line");
  if (const auto url = top.map("geox-url")) {
    read_mirrors(*url, "geoip", out.url.geoip);
    read_mirrors(*url, "geosite", out.url.geosite);
    read_mirrors(*url, "mmdb", out.url.mmdb);
    read_mirrors(*url, "asn", out.url.asn);
  }
}

}  // namespace sluice::model
