// The parts without a clock, a disk or a network: addresses, places, sources, waits, records.
#include <gtest/gtest.h>

#include "controlplane/provider/backoff.h"
#include "controlplane/provider/bounds.h"
#include "controlplane/provider/origin.h"
#include "controlplane/provider/places.h"
#include "controlplane/provider/source.h"
#include "controlplane/provider/url.h"
#include "controlplane/ruleformats/bounds.h"

namespace sluice::provider {
namespace {

// The rooms know nothing of each other: what is fetched, the readers of files take, and no less.
static_assert(kMaxContent == ruleformats::Bounds{}.input_bytes);

TEST(Url, IsTakenApart) {
  const auto url = parse_url("https://user:pa%20ss@Example.com/a b/c.yaml?token=1#x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->port, 443);
  EXPECT_EQ(url->text, "https://user:pa%20ss@example.com/a%20b/c.yaml?token=1#x");
  const auto v6 = parse_url("http://[2001:db8::1]:8080/x");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "2001:db8::1");
  EXPECT_EQ(v6->port, 8080);
}

TEST(Url, TurnsULabelsIntoALabelsWithoutALocale) {
  const auto url = parse_url(
      "https://b\xc3\xbc"
      "cher.example/liste");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "xn--bcher-kva.example");
  EXPECT_EQ(url->text, "https://xn--bcher-kva.example/liste");
}

TEST(Url, RefusesWhatIsNotHttp) {
  for (const char* text :
       {"file:///etc/passwd", "ftp://example.com/x", "gopher://example.com/x", "example.com/x", "",
        "http://", "http://a:99999/", "http://a b/", "javascript:alert(1)", "http://a\r\nHost: b/"})
    EXPECT_FALSE(parse_url(text)) << text;
  EXPECT_FALSE(parse_url(std::string_view("http://a/\0b", 11)));
}

TEST(Url, IsShownWithoutSecrets) {
  EXPECT_EQ(shown("https://user:secret@example.com:8443/list.txt?token=secret#secret"),
            "https://example.com:8443/list.txt");
  EXPECT_EQ(shown("secret"), "(not a URL)");
  // Tokens among the folders, or instead of a name.
  EXPECT_EQ(shown("https://example.com/s/secret/rules/Ads.YAML"), "https://example.com/…/Ads.YAML");
  for (const char* secret : {"https://example.com/secret", "https://example.com/api/v1/secret",
                             "https://example.com/list.txt/secret/",
                             "https://example.com/v2.secret", "https://example.com/.yaml"})
    EXPECT_EQ(shown(secret), "https://example.com/…") << secret;
  EXPECT_EQ(shown("https://example.com/geo.metadb"), "https://example.com/geo.metadb");
  EXPECT_EQ(shown("https://example.com"), "https://example.com/");
}

TEST(Url, AnOriginIsSchemeHostAndPort) {
  const auto same = [](const char* a, const char* b) {
    return same_origin(*parse_url(a), *parse_url(b));
  };
  EXPECT_TRUE(same("https://a.example/x", "https://A.example:443/y"));
  EXPECT_FALSE(same("https://a.example/", "http://a.example/"));
  EXPECT_FALSE(same("http://a.example/", "http://a.example:81/"));
  EXPECT_FALSE(same("http://a.example/", "http://b.a.example/"));
}

TEST(Places, ResolvesBelowHome) {
  EXPECT_EQ(resolve_path("/home", "./rules//a/../b.yaml"), "/home/rules/b.yaml");
  EXPECT_EQ(resolve_path("/home", "/x/./y"), "/x/y");
  EXPECT_EQ(resolve_path("/home", "../../../.."), "/");
  // As `printf http://example.com/ | md5sum` says.
  EXPECT_EQ(default_path("rules", "http://example.com/"), "rules/a6bf1757fff057f266b697df9cf176fd");
}

TEST(Places, RefusesPathsOutsideHomeAndSafePaths) {
  Places places({"/var/lib/sluice", split_safe_paths("/mnt/usb:relative::/opt/rules/"), false});
  for (const char* path : {"/etc/passwd", "../other/x", "/var/lib/sluice", "/var/lib/sluicex/a",
                           "/mnt/usb", "/mnt/usbx/a", "a/../../x", "", "relative/../../../etc/x"})
    EXPECT_FALSE(places.claim("provider p", path, Places::Use::write)) << path;
  const auto refused = places.claim("provider p", "/etc/x", Places::Use::read);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "provider p: path /etc/x lies outside the home directory /var/lib/sluice; put it "
            "there, or name its directory in SAFE_PATHS");
  EXPECT_EQ(*places.claim("a", "/mnt/usb/a", Places::Use::write), "/mnt/usb/a");
  EXPECT_EQ(*places.claim("b", "/opt/rules/b", Places::Use::write), "/opt/rules/b");
  EXPECT_EQ(*places.claim("c", "rules/c", Places::Use::write), "/var/lib/sluice/rules/c");
  Places anywhere({"/home", {}, true});
  EXPECT_EQ(*anywhere.claim("d", "/etc/x", Places::Use::read), "/etc/x");
}

TEST(Places, OneWriterOrManyReaders) {
  Places places({"/home", {}, false});
  ASSERT_TRUE(places.claim("provider a", "rules/x", Places::Use::write));
  const auto second = places.claim("provider b", "./rules/../rules/x", Places::Use::write);
  ASSERT_FALSE(second);
  EXPECT_EQ(
      second.error(),
      "provider b: path /home/rules/x is used by provider a too; give each a path of its own");
  EXPECT_FALSE(places.claim("provider c", "/home/rules/x", Places::Use::read));
  ASSERT_TRUE(places.claim("provider d", "y", Places::Use::read));
  EXPECT_TRUE(places.claim("provider e", "y", Places::Use::read));
  EXPECT_FALSE(places.claim("provider f", "y", Places::Use::write));
}

Source good_source() {
  Source source;
  source.name = "ads";
  source.urls = {"https://example.com/ads.txt?token=secret"};
  source.path = "/home/ads.txt";
  return source;
}

TEST(Source, NamesWhatCannotWork) {
  EXPECT_EQ(fault_of(good_source()), std::nullopt);
  const auto fault = [](const std::function<void(Source&)>& spoil) {
    Source source = good_source();
    spoil(source);
    return fault_of(source).value_or("none");
  };
  EXPECT_EQ(fault([](Source& s) { s.urls.clear(); }), "needs a url");
  EXPECT_EQ(fault([](Source& s) { s.urls.push_back("ftp://u:secret@h/x?secret"); }),
            "url \"ftp://h/…\" is no http or https address");
  EXPECT_EQ(fault([](Source& s) { s.path = "ads.txt"; }), "needs an absolute path");
  EXPECT_EQ(fault([](Source& s) { s.headers["Bad Name"] = {"x"}; }),
            "header name \"Bad Name\" holds a character that none may");
  EXPECT_EQ(fault([](Source& s) { s.headers["X"] = {"a", "b\r\nHost: evil"}; }),
            "a value of header \"X\" holds a control character");
  EXPECT_EQ(fault([](Source& s) { s.user_agent = "a\nb"; }),
            "the user agent holds a control character");
  EXPECT_EQ(fault([](Source& s) { s.interval = Millis{-1}; }), "the interval is negative");
  EXPECT_EQ(fault([](Source& s) { s.proxy.assign(256, 'x'); }),
            "the proxy's name is longer than 255 bytes");
  EXPECT_EQ(fault([](Source& s) { s.most = 0; }), "the size limit must be 1 B to 64 MiB");
  EXPECT_EQ(fault([](Source& s) {
              s.kind = Kind::inline_;
              s.most = 2;
              s.content = "abc";
            }),
            "the payload is larger than the size limit");
}

TEST(Backoff, DoublesFromTenSecondsToItsCap) {
  Backoff backoff([] { return 0U; }, 60_s);
  for (const int expected : {10, 20, 40, 60, 60}) EXPECT_EQ(backoff.next().count, expected * 1000);
  backoff.reset();
  EXPECT_EQ(backoff.next().count, 10'000);
}

TEST(Backoff, LengthensByAtMostAQuarter) {
  std::uint32_t number = 0;
  Backoff backoff([&] { return number; });
  number = 2500;
  EXPECT_EQ(backoff.next().count, 12'500);
  number = 5001;  // one past the quarter of 20 s begins again
  EXPECT_EQ(backoff.next().count, 20'000);
  number = UINT32_MAX;
  for (int i = 0; i < 40; ++i) {
    const Millis wait = backoff.next();
    EXPECT_GE(wait, 40_s);
    EXPECT_LE(wait, Millis{kRetryMost.count + kRetryMost.count / 4});
  }
}

TEST(TimeLeft, AClockThatJumpsBackMeansNow) {
  EXPECT_EQ(time_left(100_ms, 1000, 1030).count, 70);
  EXPECT_EQ(time_left(100_ms, 1000, 1100).count, 0);
  EXPECT_EQ(time_left(100_ms, 1000, 999'999).count, 0);
  EXPECT_EQ(time_left(100_ms, 1000, 999).count, 0);
  EXPECT_EQ(time_left(100_ms, INT64_MAX, 0).count, 0);
}

TEST(Origin, RoundTripsAndEveryPrefixIsNone) {
  const Origin origin{url_digest("https://example.com/?secret"),
                      1'700'000'000'123,
                      1'600'000'000'456,
                      {12345, 1'700'000'000'123'456'789},
                      {"W/\"a b\"", "Mon, 30 Nov 2026 10:00:00 GMT"}};
  const std::string text = to_text(origin);
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(parse_origin(text), origin);
  for (std::size_t cut = 0; cut < text.size(); ++cut)
    EXPECT_EQ(parse_origin(text.substr(0, cut)), std::nullopt) << cut;
}

TEST(Origin, RefusesNonsenseAndSkipsWhatItDoesNotKnow) {
  EXPECT_TRUE(parse_origin("sluice-origin 1\nfuture thing\nlonely\n\nend\n"));
  EXPECT_FALSE(parse_origin("sluice-origin 2\nend\n"));
  EXPECT_FALSE(parse_origin("sluice-origin 1\nsize -1\nend\n"));
  EXPECT_FALSE(parse_origin("sluice-origin 1\nchecked 99999999999999999999\nend\n"));
  EXPECT_FALSE(parse_origin("sluice-origin 1\netag " + std::string(5000, 'x') + "\nend\n"));
}

}  // namespace
}  // namespace sluice::provider
