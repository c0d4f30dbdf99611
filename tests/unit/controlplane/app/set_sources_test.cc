#include "controlplane/app/set_sources.h"

#include <gtest/gtest.h>

#include "controlplane/model/load.h"
#include "tests/support/scratch.h"

namespace sluice::control_plane {
namespace {

class SetSourcesTest : public ::testing::Test {
 protected:
  [[nodiscard]] SetSources of(const std::string& text) const {
    model::LoadResult loaded = model::load_config("mixed-port: 7890\n" + text, "config.yaml");
    EXPECT_TRUE(loaded.config) << (loaded.diagnostics.empty() ? "" : loaded.diagnostics[0].problem);
    if (!loaded.config) return {};
    return set_sources(*loaded.config, "config.yaml", places);
  }
  [[nodiscard]] static const SetSource* named(const SetSources& from, const std::string& name) {
    for (const SetSource& source : from.all)
      if (source.transfer.name == name) return &source;
    return nullptr;
  }

  test::Scratch home;
  FilePlaces places{home.path("config.yaml"), {home.path(), {}, false}};
};

TEST_F(SetSourcesTest, ADownloadedListLiesWhereMihomoHasIt) {
  const SetSources found =
      of("rule-providers:\n"
         "  ads: {type: http, behavior: domain, url: 'https://a.test/ads.yaml', interval: 3600,\n"
         "        header: {Authorization: [secret]}}\n");
  ASSERT_TRUE(found.problems.empty());
  const SetSource* ads = named(found, "ads");
  ASSERT_NE(ads, nullptr);
  // md5 of the address.
  EXPECT_EQ(ads->transfer.path, home.path("rules/e6b00259c8775dd8122ec5f06fc0911b"))
      << ads->transfer.path;
  EXPECT_EQ(ads->content.path, ads->transfer.path);
  EXPECT_EQ(ads->transfer.interval, Millis{3'600'000});
  EXPECT_EQ(ads->transfer.headers.at("Authorization"), std::vector<std::string>{"secret"});
  EXPECT_FALSE(ads->transfer.user_agent.empty());
}

TEST_F(SetSourcesTest, PathsAreThoseOfTheHomeDirectory) {
  const SetSources found =
      of("rule-providers:\n"
         "  lan: {type: file, behavior: ipcidr, format: text, path: ./lists/../lan.txt}\n");
  ASSERT_TRUE(found.problems.empty());
  EXPECT_EQ(named(found, "lan")->content.path, home.path("lan.txt"));
}

TEST_F(SetSourcesTest, WhatLiesElsewhereIsRefusedAtItsPlace) {
  const SetSources found =
      of("rule-providers:\n"
         "  key: {type: file, behavior: domain, path: /etc/shadow}\n");
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].line, 3U);
  EXPECT_EQ(found.problems[0].severity, model::Severity::error);
  EXPECT_NE(found.problems[0].problem.find("/etc/shadow"), std::string::npos);
  EXPECT_NE(found.problems[0].remedy.find("SAFE_PATHS"), std::string::npos);
  EXPECT_EQ(named(found, "key"), nullptr);
}

TEST_F(SetSourcesTest, ASafePathIsOne) {
  places.rules.safe_paths = {"/srv/lists"};
  const SetSources found =
      of("rule-providers:\n"
         "  far: {type: file, behavior: domain, path: /srv/lists/far.yaml}\n");
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(SetSourcesTest, TwoDownloadsIntoOneFileAreRefused) {
  const SetSources found =
      of("rule-providers:\n"
         "  a: {type: http, behavior: domain, url: 'https://a.test/a', path: same.yaml}\n"
         "  b: {type: http, behavior: domain, url: 'https://b.test/b', path: same.yaml}\n");
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].line, 4U);
}

TEST_F(SetSourcesTest, NoDownloadGoesOverTheConfiguration) {
  const SetSources found =
      of("rule-providers:\n"
         "  a: {type: http, behavior: domain, url: 'https://a.test/a', path: config.yaml}\n");
  EXPECT_EQ(found.problems.size(), 1U);
}

TEST_F(SetSourcesTest, GeoFilesAreFoundUnderTheirOtherNames) {
  home.put("country.MMDB", "x");
  home.put("geosite.dat", "x");
  const SetSources found = of("geo-auto-update: true\ngeo-update-interval: 12\n");
  ASSERT_NE(named(found, "mmdb"), nullptr);
  EXPECT_EQ(named(found, "mmdb")->content.path, home.path("country.MMDB"));
  EXPECT_EQ(named(found, "mmdb")->content.kind, sets::SourceKind::country_mmdb);
  EXPECT_EQ(named(found, "geosite")->content.path, home.path("geosite.dat"));
  EXPECT_EQ(named(found, "geosite")->transfer.interval, Millis{12 * 3'600'000});
  EXPECT_EQ(named(found, "asn")->content.path, home.path("ASN.mmdb"));
  EXPECT_EQ(named(found, "geoip"), nullptr);
}

TEST_F(SetSourcesTest, GeodataModeTakesCountriesFromTheDatFile) {
  const SetSources found = of("geodata-mode: true\n");
  ASSERT_NE(named(found, "geoip"), nullptr);
  EXPECT_EQ(named(found, "geoip")->content.kind, sets::SourceKind::geoip_dat);
  EXPECT_EQ(named(found, "geoip")->transfer.interval, Millis{0});
  EXPECT_EQ(named(found, "mmdb"), nullptr);
}

}  // namespace
}  // namespace sluice::control_plane
