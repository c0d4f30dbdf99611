// The downloader against a real HTTP server on loopback, both on the test's loop.
#include "controlplane/provider/downloader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/unit/controlplane/provider/bench.h"
#include "tests/unit/controlplane/provider/http_server.h"

namespace sluice::provider::test {
namespace {

using Then = HttpAnswer::Then;

std::string gzip(const std::string& plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Every name is this machine, but those that end in ".none".
class LoopbackNames final : public NameLookup {
 public:
  Task<Result<std::vector<IpAddress>>> lookup(std::string host, Until) override {
    asked.push_back(host);
    std::vector<IpAddress> found;
    if (!host.ends_with(".none")) found.push_back(IpAddress::v4(0x7f000001));
    co_return found;
  }
  std::vector<std::string> asked;
};

class DownloaderTest : public ::testing::Test, protected FetchSink {
 protected:
  FetchRequest request(std::string url, std::size_t most = 1000) {
    FetchRequest out;
    out.url = std::move(url);
    out.most = most;
    return out;
  }
  void begin(FetchRequest wish, Downloader& by) {
    outcomes.emplace_back();
    running.run(collect(std::move(wish), by, outcomes.back()));
  }
  void begin(FetchRequest wish) { begin(std::move(wish), downloader); }
  FetchOutcome get(FetchRequest wish) { return get(std::move(wish), downloader); }
  FetchOutcome get(FetchRequest wish, Downloader& by) {
    begin(std::move(wish), by);
    EXPECT_TRUE(pump(*loop, [this] { return outcomes.back().has_value(); }));
    return outcomes.back() ? *outcomes.back()
                           : std::unexpected(FetchFailure{{}, "the test gave up"});
  }
  /// Of one answer, sent as it is.
  FetchOutcome get_answer(std::string bytes, Then then = Then::close, std::size_t most = 1000) {
    HttpServer server(*loop, [&](const auto&) { return HttpAnswer{bytes, then}; });
    return get(request(server.url(), most));
  }
  static Error error_of(const FetchOutcome& outcome) {
    return outcome ? Error{} : outcome.error().error;
  }
  static std::string reason_of(const FetchOutcome& outcome) {
    return outcome ? "" : outcome.error().reason;
  }

  std::unique_ptr<Loop> loop = make_loop();
  LoopbackNames names;
  Scratch scratch;
  TestWork work{*loop};
  Downloader downloader{*loop, work, names, {scratch.path("dial 100%.sock"), "", {}}};
  std::deque<std::optional<FetchOutcome>> outcomes;
  std::vector<FetchProgress> told;
  TaskSet running{*loop};

 private:
  Task<void> collect(FetchRequest wish, Downloader& by, std::optional<FetchOutcome>& out) {
    Task<FetchOutcome> fetching = by.fetch(std::move(wish), *this);
    FetchOutcome outcome = co_await fetching;
    out.emplace(std::move(outcome));
  }
  void fetched(const FetchProgress& progress) override { told.push_back(progress); }
};

TEST_F(DownloaderTest, BringsBodyAndValidators) {
  HttpServer server(*loop, [](const auto&) {
    return HttpAnswer{http(200, "+.example\n",
                           "ETag: W/\"7 a\"\r\nLast-Modified: Mon, 30 Nov 2026 10:00:00 GMT\r\n")};
  });
  FetchRequest wish = request(server.url("/list.txt?token=x"));
  wish.user_agent = "sluice/1";
  wish.headers = {{"X-Two", {"a", "b"}}, {"X-Empty", {""}}, {"Accept-Encoding", {"zstd"}}};
  const FetchOutcome outcome = get(wish);
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_FALSE(outcome->not_modified);
  EXPECT_EQ(outcome->body, "+.example\n");
  EXPECT_EQ(outcome->validators, (Validators{"W/\"7 a\"", "Mon, 30 Nov 2026 10:00:00 GMT"}));
  const HttpServer::Request& seen = server.requests.at(0);
  EXPECT_EQ(seen.path(), "/list.txt?token=x");
  EXPECT_EQ(seen.field("User-Agent"), "sluice/1");
  EXPECT_EQ(seen.field("X-Two"), "a|b");
  EXPECT_NE(seen.head.find("\r\nX-Empty:\r\n"), std::string::npos);
  EXPECT_EQ(seen.field("Accept-Encoding"), "gzip");
  EXPECT_EQ(seen.field("If-None-Match"), "-");
  EXPECT_TRUE(names.asked.empty());
}

TEST_F(DownloaderTest, AUserAgentAmongTheHeadersWins) {
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(200, "x")}; });
  FetchRequest wish = request(server.url());
  wish.user_agent = "sluice/1";
  wish.headers = {{"user-agent", {"clash"}}};
  ASSERT_TRUE(get(wish));
  EXPECT_EQ(server.requests.at(0).field("User-Agent"), "clash");
}

TEST_F(DownloaderTest, AsksWhetherWhatWeHaveIsCurrent) {
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(304)}; });
  FetchRequest wish = request(server.url());
  wish.validators = {"\"v1\"", "Mon, 30 Nov 2026 10:00:00 GMT"};
  const FetchOutcome outcome = get(wish);
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_TRUE(outcome->not_modified);
  EXPECT_EQ(server.requests.at(0).field("If-None-Match"), "\"v1\"");
  EXPECT_EQ(server.requests.at(0).field("If-Modified-Since"), "Mon, 30 Nov 2026 10:00:00 GMT");
  const FetchOutcome unasked = get(request(server.url()));
  EXPECT_EQ(reason_of(unasked), "answered with status 304");
}

TEST_F(DownloaderTest, OtherStatusesAreFailures) {
  for (const int status : {201, 204, 206, 300, 305, 400, 401, 403, 404, 410, 418, 500, 502}) {
    const FetchOutcome outcome = get_answer(http(status, status == 204 ? "" : "<html>"));
    EXPECT_EQ(reason_of(outcome), "answered with status " + std::to_string(status));
    EXPECT_EQ(error_of(outcome),
              (Error{Errc::denied, Side::upstream, static_cast<std::uint16_t>(status), 0}));
  }
  for (const int status : {429, 503}) {
    const FetchOutcome outcome = get_answer(http(status, "", "Retry-After: 120\r\n"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().retry_after, 120_s);
  }
  const FetchOutcome greedy = get_answer(http(503, "", "Retry-After: 99999999999\r\n"));
  ASSERT_FALSE(greedy);
  EXPECT_EQ(greedy.error().retry_after, kRetryAfterMost);
}

TEST_F(DownloaderTest, AnErrorPageNeedNotEnd) {
  const std::string page(kMaxErrorPage + 1, 'x');
  const FetchOutcome outcome = get_answer("HTTP/1.1 503 Reason\r\nRetry-After: 120\r\n\r\n" + page,
                                          Then::drip, page.size() + 1);
  EXPECT_EQ(reason_of(outcome), "answered with status 503");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().retry_after, 120_s);
  EXPECT_TRUE(told.empty());
}

TEST_F(DownloaderTest, ARedirectMayHaveALargePage) {
  const std::string page(2 * kMaxErrorPage, 'x');
  HttpServer server(*loop, [&](const auto& seen) {
    return HttpAnswer{seen.path() == "/" ? http(302, page, "Location: /list\r\n")
                                         : http(200, "here")};
  });
  const FetchOutcome outcome = get(request(server.url(), page.size()));
  ASSERT_TRUE(outcome) << reason_of(outcome);
  EXPECT_EQ(outcome->body, "here");
}

TEST_F(DownloaderTest, FollowsRedirectsAndKeepsSecretsAtHome) {
  HttpServer far(*loop, [](const auto&) { return HttpAnswer{http(200, "far")}; });
  const std::string away = "http://far.example:" + std::to_string(far.port()) + "/list?signed=1";
  HttpServer near(*loop, [&](const auto& seen) {
    const bool first = seen.path() == "/";
    return HttpAnswer{
        http(first ? 307 : 302, "moved", "Location: " + (first ? "second" : away) + "\r\n")};
  });
  FetchRequest wish = request(near.url());
  wish.headers = {{"authorization", {"Bearer secret"}}, {"COOKIE", {"a=b"}}, {"X-Hwid", {"7"}}};
  wish.validators.etag = "\"v1\"";
  const FetchOutcome outcome = get(wish);
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->body, "far");
  ASSERT_EQ(near.requests.size(), 2U);
  EXPECT_EQ(near.requests[1].path(), "/second");
  EXPECT_EQ(near.requests[1].field("Authorization"), "Bearer secret");
  const HttpServer::Request& seen = far.requests.at(0);
  EXPECT_EQ(seen.path(), "/list?signed=1");
  EXPECT_EQ(seen.field("Authorization"), "-");
  EXPECT_EQ(seen.field("Cookie"), "-");
  EXPECT_EQ(seen.field("X-Hwid"), "7");
  EXPECT_EQ(seen.field("If-None-Match"), "\"v1\"");
  EXPECT_EQ(names.asked, std::vector<std::string>{"far.example"});
}

TEST_F(DownloaderTest, RedirectsEnd) {
  HttpServer server(*loop,
                    [](const auto&) { return HttpAnswer{http(301, "", "Location: /again\r\n")}; });
  const FetchOutcome outcome = get(request(server.url()));
  EXPECT_EQ(error_of(outcome).code, Errc::loop);
  EXPECT_EQ(reason_of(outcome), "redirects more than 10 times");
  EXPECT_EQ(server.requests.size(), 11U);
  EXPECT_EQ(server.accepted, 1) << "hops of one origin share a connection";
}

TEST_F(DownloaderTest, NeverLeavesHttp) {
  for (const char* place : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/x"}) {
    const FetchOutcome outcome =
        get_answer(http(302, "", "Location: " + std::string(place) + "\r\n"));
    EXPECT_EQ(reason_of(outcome), "redirects to something that is no http address") << place;
  }
  EXPECT_EQ(error_of(get(request("file:///etc/passwd"))).code, Errc::unsupported);
}

TEST_F(DownloaderTest, AnAnswerThatIsCutIsNoAnswer) {
  const std::string whole = http(200, "0123456789");
  EXPECT_EQ(reason_of(get_answer(whole.substr(0, whole.size() - 1))),
            "ended before its announced end");
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n";
  EXPECT_FALSE(get_answer(chunked));
  const FetchOutcome complete = get_answer(chunked + "0\r\n\r\n");
  ASSERT_TRUE(complete) << complete.error().reason;
  EXPECT_EQ(complete->body, "abcde");
  EXPECT_EQ(reason_of(get_answer("")), "closed the connection without an answer");
  EXPECT_FALSE(get_answer("SSH-2.0-OpenSSH_9.2\r\n"));
  EXPECT_FALSE(get_answer("HTTP/1.1 200 OK\r\nContent-Le"));
}

TEST_F(DownloaderTest, TheSizeLimitHoldsHoweverTheBodyComes) {
  const std::string full(1000, 'x');
  EXPECT_TRUE(get_answer(http(200, full)));
  const std::string reason = "is larger than the size limit of 1000 bytes";
  EXPECT_EQ(reason_of(get_answer(http(200, full + "x"))), reason);
  // Announced, and never sent: refused at once, nothing is reserved for it.
  EXPECT_EQ(
      reason_of(get_answer("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", Then::hang)),
      reason);
  EXPECT_EQ(reason_of(get_answer("HTTP/1.1 200 OK\r\n\r\n" + full + "x")), reason);
  const FetchOutcome chunked = get_answer(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + full + "x\r\n", Then::hang);
  EXPECT_EQ(error_of(chunked), (Error{Errc::too_large, Side::upstream}));
}

TEST_F(DownloaderTest, TheSizeLimitCountsDecodedBytes) {
  const std::string fields = "Content-Encoding: gzip\r\nETag: \"z\"\r\n";
  const std::string plain(1000, 'x');
  const FetchOutcome good = get_answer(http(200, gzip(plain), fields));
  ASSERT_TRUE(good) << good.error().reason;
  EXPECT_EQ(good->body, plain);
  EXPECT_EQ(told.back().size, 1000U);
  EXPECT_EQ(told.back().total, 0U) << "the encoded size says nothing about the decoded one";
  const std::string bomb = gzip(std::string(std::size_t{32} << 20U, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  EXPECT_EQ(error_of(get_answer(http(200, bomb, fields), Then::close, 1U << 20U)).code,
            Errc::too_large);
}

TEST_F(DownloaderTest, DamagedCompressedContentIsRefused) {
  const std::string packed = gzip("line 1\nline 2\nline 3\n" + std::string(500, 'y'));
  const std::string fields = "Content-Encoding: gzip\r\n";
  EXPECT_FALSE(get_answer(http(200, "not gzip at all", fields)));
  EXPECT_FALSE(get_answer(http(200, "", fields))) << "not even an empty one";
  EXPECT_FALSE(get_answer(http(200, packed + "rest", fields)));
  const FetchOutcome twice = get_answer(http(200, packed + gzip("more"), fields));
  ASSERT_TRUE(twice) << "members in a row are one content";
  EXPECT_TRUE(twice->body.ends_with("yyymore"));
  for (std::size_t cut = 1; cut < packed.size(); ++cut)
    EXPECT_FALSE(get_answer(http(200, packed.substr(0, cut), fields))) << cut;
}

TEST_F(DownloaderTest, AnEmptyFileMayBeCompressed) {
  const FetchOutcome outcome = get_answer(http(200, gzip(""), "Content-Encoding: x-gzip\r\n"));
  ASSERT_TRUE(outcome) << reason_of(outcome);
  EXPECT_EQ(outcome->body, "");
}

TEST_F(DownloaderTest, OnlyEncodingsThatWereAskedFor) {
  for (const char* encoding : {"zstd", "br", "deflate", "gzip, gzip",
                               "gzip\r\nContent-Encoding: "
                               "gzip"}) {
    const FetchOutcome outcome =
        get_answer(http(200, "xxxx", "Content-Encoding: " + std::string(encoding) + "\r\n"));
    EXPECT_EQ(reason_of(outcome), "used a content encoding that was not asked for") << encoding;
  }
  EXPECT_TRUE(get_answer(http(200, "x", "Content-Encoding: identity\r\n")));
}

TEST_F(DownloaderTest, SilenceEndsADownload) {
  const Patience patience{200_ms, 60_s};
  Downloader hasty(*loop, work, names, {"", "", patience});
  HttpServer server(*loop, [](const auto& seen) {
    const bool begun = seen.path() == "/begun";
    return HttpAnswer{begun ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc" : "", Then::hang};
  });
  for (const char* path : {"/mute", "/begun"}) {
    const Moment before = loop->refresh_now();  // the clock that patience is measured with
    const FetchOutcome outcome = get(request(server.url(path)), hasty);
    EXPECT_EQ(error_of(outcome), (Error{Errc::timeout, Side::upstream})) << path;
    EXPECT_EQ(reason_of(outcome), "was silent for 0 s");
    EXPECT_GE(monotonic_now() - before, patience.silence);
    EXPECT_TRUE(pump(*loop, [&] { return server.open == 0; })) << "the connection is closed";
  }
}

TEST_F(DownloaderTest, ADownloadThatOnlyDripsEndsToo) {
  const Patience patience{5_s, 200_ms};
  Downloader hasty(*loop, work, names, {"", "", patience});
  HttpServer server(*loop, [](const auto&) {
    return HttpAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", Then::drip};
  });
  const FetchOutcome outcome = get(request(server.url()), hasty);
  EXPECT_EQ(reason_of(outcome), "was not complete after 0 s");
  EXPECT_FALSE(told.empty());
}

TEST_F(DownloaderTest, ATransferEndsWithItsTask) {
  HttpServer server(*loop, [](const auto& seen) {
    if (seen.path() == "/good") return HttpAnswer{http(200, "good")};
    return HttpAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", Then::hang};
  });
  {
    std::optional<TaskSet> doomed(std::in_place, *loop);
    const auto drop = [&]() -> Task<void> {
      Task<FetchOutcome> fetching = downloader.fetch(request(server.url("/slow")), *this);
      (void)co_await fetching;
      ADD_FAILURE() << "ended by itself";
    };
    doomed->run(drop());
    ASSERT_TRUE(pump(*loop, [&] { return !told.empty(); }));
    doomed.reset();
  }
  ASSERT_TRUE(pump(*loop, [&] { return server.open == 0; }));
  EXPECT_TRUE(get(request(server.url("/good"))));
}

TEST_F(DownloaderTest, SomeAtATimeTheOthersInOrder) {
  HttpServer server(*loop, [](const auto& seen) {
    if (seen.path() == "/0") return HttpAnswer{"", Then::close};
    return HttpAnswer{"", Then::hang};
  });
  for (unsigned i = 1; i < kParallelFetches; ++i)
    begin(request(server.url("/" + std::to_string(i))));
  std::optional<TaskSet> gives_up(std::in_place, *loop);
  const auto drop = [&](std::string path) -> Task<void> {
    Task<FetchOutcome> fetching = downloader.fetch(request(server.url(path)), *this);
    (void)co_await fetching;
  };
  gives_up->run(drop("/held"));
  gives_up->run(drop("/waited"));
  begin(request(server.url("/0")));
  begin(request(server.url("/last")));
  ASSERT_TRUE(pump(*loop, [&] { return server.requests.size() == kParallelFetches; }));
  settle(*loop);
  EXPECT_EQ(server.requests.size(), kParallelFetches);
  gives_up.reset();  // one that ran and one that waited: their turns pass on
  ASSERT_TRUE(pump(*loop, [&] { return server.requests.size() == kParallelFetches + 2; }));
  EXPECT_EQ(server.requests[kParallelFetches].path(), "/0");
  EXPECT_EQ(server.requests[kParallelFetches + 1].path(), "/last");
}

TEST_F(DownloaderTest, ALargeBodyComesWholeAndIsTold) {
  std::string body(std::size_t{8} << 20U, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761U >> 13U);
  const FetchOutcome outcome = get_answer(http(200, body), Then::close, body.size());
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_TRUE(outcome->body == body);
  EXPECT_GT(told.size(), 1U);
  EXPECT_EQ(told.back().size, body.size());
  EXPECT_EQ(told.back().total, body.size());
}

TEST_F(DownloaderTest, SaysWhyAServerIsNotReached) {
  EXPECT_EQ(reason_of(get(request("http://server.none/x"))),
            "has a name that does not resolve: the name has no usable address");
  const UniqueFd taken = std::move(*bind_tcp({IpAddress::v4(0x7f000001), 0}));
  const FetchOutcome refused =
      get(request("http://127.0.0.1:" + std::to_string(local_endpoint(taken.get()).port)));
  EXPECT_EQ(error_of(refused).code, Errc::refused);
  EXPECT_EQ(error_of(refused).side, Side::upstream);
}

// A name that libcurl did not find among our answers would be asked elsewhere, on a thread.
TEST_F(DownloaderTest, NamesInAnySpellingAreOurs) {
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(200, "x")}; });
  const std::string port = std::to_string(server.port());
  for (const char* host : {"Lists.EXAMPLE", "lists.example.",
                           "b\xc3\xbc"
                           "cher.example",
                           "under_score.example"}) {
    const FetchOutcome outcome = get(request("http://" + std::string(host) + ":" + port + "/"));
    EXPECT_TRUE(outcome) << host << ": " << reason_of(outcome);
  }
  EXPECT_EQ(names.asked,
            (std::vector<std::string>{"lists.example", "lists.example", "xn--bcher-kva.example",
                                      "under_score.example"}));
}

TEST_F(DownloaderTest, NeitherEnvironmentNorNetrcCounts) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ::setenv("all_proxy", "http://127.0.0.1:1", 1);
  const FetchOutcome outcome = get_answer(http(200, "x"));
  ::unsetenv("http_proxy");
  ::unsetenv("all_proxy");
  EXPECT_TRUE(outcome) << reason_of(outcome);
}

// facts of libcurl: user name and path are percent-decoded, names travel unresolved.
TEST_F(DownloaderTest, DialSocketCarriesItWithTheOutboundAsUserName) {
  HttpServer server(
      *loop, [](const auto&) { return HttpAnswer{http(200, "through")}; },
      scratch.path("dial 100%.sock"));
  FetchRequest wish = request("http://lists.example:8080/x");
  wish.proxy = "\xf0\x9f\x87\xad\xf0\x9f\x87\xb0 100%/c%41:@ node";
  ::setenv("no_proxy", "*", 1);
  const FetchOutcome outcome = get(wish);
  ::unsetenv("no_proxy");
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->body, "through");
  EXPECT_EQ(server.socks_user, wish.proxy);
  EXPECT_EQ(server.socks_target, "lists.example:8080");
  EXPECT_NE(server.socks_methods.find('\x02'), std::string::npos);
  EXPECT_EQ(server.socks_methods.find('\x01'), std::string::npos) << "no GSSAPI";
  EXPECT_TRUE(names.asked.empty()) << "the data plane looks the name up";
}

TEST_F(DownloaderTest, AnOutboundThatIsNotThereIsNamed) {
  HttpServer server(
      *loop, [](const auto&) { return HttpAnswer{http(200, "through")}; },
      scratch.path("dial 100%.sock"));
  FetchRequest wish = request("http://lists.example/x");
  wish.proxy = "unknown";
  const FetchOutcome outcome = get(wish);
  EXPECT_EQ(reason_of(outcome), "proxy \"unknown\" is not there, or refuses it");
  EXPECT_EQ(error_of(outcome), (Error{Errc::denied, Side::us}));
  EXPECT_TRUE(server.requests.empty());
}

TEST_F(DownloaderTest, WithoutAProxyTheRulesOfTheDataPlaneDecide) {
  HttpServer server(
      *loop, [](const auto&) { return HttpAnswer{http(200, "through")}; },
      scratch.path("dial 100%.sock"));
  const FetchOutcome outcome = get(request("http://lists.example:8080/x"));
  ASSERT_TRUE(outcome) << outcome.error().reason;
  EXPECT_EQ(outcome->body, "through");
  EXPECT_EQ(server.socks_methods, std::string(1, '\0')) << "no user name is offered";
  EXPECT_EQ(server.socks_target, "lists.example:8080");
  EXPECT_TRUE(names.asked.empty()) << "the data plane looks the name up";
}

std::string by_name(const HttpServer& server) {
  return "http://lists.example:" + std::to_string(server.port()) + "/x";
}

TEST_F(DownloaderTest, WhatTheRulesRefuseDoesNotGoAnotherWay) {
  HttpServer dial(
      *loop, [](const auto&) { return HttpAnswer{http(200, "through")}; },
      scratch.path("dial 100%.sock"));
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(200, "plain")}; });
  dial.dial = HttpServer::Dial::refuses;
  const FetchOutcome outcome = get(request(by_name(server)));
  EXPECT_EQ(reason_of(outcome), "the outbound of the rules refuses it");
  EXPECT_TRUE(server.requests.empty());
}

// A data plane that is not there yet, one that is dead, and one that has no rules yet.
TEST_F(DownloaderTest, WithoutRulesItGoesByOwnSockets) {
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(200, "plain")}; });
  const auto goes_by_itself = [&] {
    const FetchOutcome outcome = get(request(by_name(server)));
    EXPECT_EQ(outcome ? outcome->body : reason_of(outcome), "plain");
  };
  goes_by_itself();
  const std::string path = scratch.path("dial 100%.sock");
  {
    const UniqueFd dead = std::move(*listen_unix(path, 0600));
  }
  goes_by_itself();
  HttpServer dial(*loop, [](const auto&) { return HttpAnswer{http(200, "through")}; }, path);
  dial.dial = HttpServer::Dial::has_no_rules;
  goes_by_itself();
  EXPECT_EQ(server.requests.size(), 3U);
  EXPECT_TRUE(dial.requests.empty());
}

// As REJECT-DROP has it, and a data plane that dies meanwhile.
TEST_F(DownloaderTest, ADataPlaneThatHangsUpIsNoLeaveToGoAnotherWay) {
  HttpServer dial(
      *loop, [](const auto&) { return HttpAnswer{http(200, "through")}; },
      scratch.path("dial 100%.sock"));
  HttpServer server(*loop, [](const auto&) { return HttpAnswer{http(200, "plain")}; });
  FetchRequest proxied = request(by_name(server));
  proxied.proxy = "node";
  for (const FetchRequest& wish : {request(by_name(server)), proxied}) {
    for (const auto end : {HttpServer::Dial::ends_at_method, HttpServer::Dial::ends_at_wish}) {
      dial.dial = end;
      const FetchOutcome outcome = get(wish);
      EXPECT_EQ(reason_of(outcome), "got no answer: the data plane hung up");
      EXPECT_EQ(error_of(outcome), (Error{Errc::closed, Side::us}));
    }
    dial.dial = HttpServer::Dial::ends_unread;
    EXPECT_FALSE(get(wish)) << "an end or a reset, as the kernel likes";
  }
  EXPECT_EQ(dial.accepted, 6);
  EXPECT_TRUE(server.requests.empty());
  dial.dial = HttpServer::Dial::serves;
  EXPECT_EQ(get(proxied)->body, "through") << "the next try";
}

TEST_F(DownloaderTest, WithoutADataPlaneAProxiedDownloadFails) {
  FetchRequest wish = request("http://lists.example/x");
  wish.proxy = "node";
  EXPECT_EQ(reason_of(get(wish)), "waits for the data plane, which carries it");
  EXPECT_TRUE(names.asked.empty()) << "never past the proxy";
}

}  // namespace
}  // namespace sluice::provider::test
