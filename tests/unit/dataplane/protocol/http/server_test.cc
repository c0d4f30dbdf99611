// The whole server over real sockets; origins are scripted by the test.
#include "dataplane/protocol/http/server.h"

#include <map>
#include <vector>

#include "dataplane/protocol/http/reply.h"
#include "tests/unit/dataplane/support/end_fixture.h"

namespace sluice::http {
namespace {

using namespace std::string_view_literals;

/// What the origins' side of the test can see.
struct Origins {
  struct Flow {
    std::string to;
    std::string user;
    UniqueFd peer;
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    bool reusable = true;
    bool finished = false;
    Errc reason = Errc::none;
  };
  std::vector<std::unique_ptr<Flow>> flows;
  Errc refuse = Errc::none;
};

class FakeUpstream final : public HttpUpstream {
 public:
  FakeUpstream(std::unique_ptr<transport::End> end, Origins::Flow& flow)
      : end_(std::move(end)), flow_(flow) {}
  transport::End& end() noexcept override { return *end_; }
  void account(std::uint64_t up, std::uint64_t down) noexcept override {
    flow_.up += up;
    flow_.down += down;
  }
  [[nodiscard]] bool reusable() const noexcept override { return flow_.reusable; }
  void finish(Error reason) noexcept override {
    EXPECT_FALSE(flow_.finished);
    flow_.finished = true;
    flow_.reason = reason.code;
  }

 private:
  std::unique_ptr<transport::End> end_;
  Origins::Flow& flow_;
};

class HttpServer : public test::EndFixture, public HttpDialer {
 protected:
  void SetUp() override {
    auto pair = make_pair(1 << 20);
    client_end = std::move(pair.end);
    client = std::move(pair.peer);
  }
  Task<Result<std::unique_ptr<HttpUpstream>>> dial(Destination to, std::string user,
                                                   Until) override {
    if (origins.refuse != Errc::none) co_return fail(origins.refuse);
    auto pair = make_pair(1 << 20);
    auto flow = std::make_unique<Origins::Flow>();
    flow->to = to.to_string();
    flow->user = std::move(user);
    flow->peer = std::move(pair.peer);
    std::unique_ptr<HttpUpstream> upstream =
        std::make_unique<FakeUpstream>(std::move(pair.end), *flow);
    origins.flows.push_back(std::move(flow));
    co_return std::move(upstream);
  }
  [[nodiscard]] std::string_view refusal() const noexcept override { return why; }
  void start() {
    loop->spawn(
        store(serve_http(*client_end, in, options, *this, Until(Moment::never(), scope)), outcome));
  }
  void turns(int count = 12) {
    for (int i = 0; i < count; ++i) loop->run_once(0_ms);
  }
  std::string ask(std::string_view text) {
    say(client, text);
    turns();
    return hear(client);
  }
  Origins::Flow& flow(std::size_t i) { return *origins.flows.at(i); }
  /// The origin of flow `i` has read everything and ends its connection.
  void hang_up(std::size_t i) {
    hear(flow(i).peer);
    flow(i).peer.reset();
    turns();
  }
  /// The origin of flow `i` answers; what the client then gets.
  std::string answer(std::size_t i, std::string_view text) {
    say(flow(i).peer, text);
    turns();
    return hear(client);
  }
  void TearDown() override {
    if (!outcome) {
      scope.cancel();
      turns();
    }
    EXPECT_TRUE(outcome);
    for (const auto& one : origins.flows) EXPECT_TRUE(one->finished) << one->to;
    client_end.reset();
    in.clear();
    EXPECT_EQ(pool.used_count(), 0U);
  }

  CancelScope scope;
  SliceQueue in;
  ServerOptions options;
  std::vector<contract::User> users;
  std::unique_ptr<SocketEnd> client_end;
  UniqueFd client;
  Origins origins;
  std::string why;  ///< what the dialer says of a refusal
  std::optional<Result<HttpOutcome>> outcome;
};

constexpr auto kGet = "GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n"sv;
constexpr auto kForwarded = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n"sv;
constexpr auto kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"sv;

TEST_F(HttpServer, ConnectIsReturnedWithItsPayloadUntouched) {
  start();
  ask("CONNECT example.com:443 HTTP/1.0\r\nHost: example.com:443\r\n\r\n\x16\x03\x01hello");
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_TRUE((*outcome)->tunnel);
  EXPECT_EQ((*outcome)->to.to_string(), "example.com:443");
  EXPECT_EQ((*outcome)->minor, 0);
  EXPECT_EQ(test::text_of(in), "\x16\x03\x01hello");
  EXPECT_TRUE(run(reply_connect(*client_end, 0, Error{}, "", soon())));
  EXPECT_EQ(hear(client), "HTTP/1.0 200 Connection established\r\n\r\n");
  EXPECT_TRUE(run(reply_connect(*client_end, 1, Error{Errc::timeout}, "", soon())));
  EXPECT_TRUE(hear(client).starts_with("HTTP/1.1 504 "));
}

TEST_F(HttpServer, KeepsBothConnectionsForTheNextRequest) {
  start();
  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(hear(flow(0).peer), kForwarded);
  EXPECT_EQ(answer(0, kOk), kOk);
  ask(kGet);
  ASSERT_EQ(origins.flows.size(), 1U);
  EXPECT_EQ(hear(flow(0).peer), kForwarded);
  EXPECT_EQ(answer(0, kOk), kOk);
  EXPECT_EQ(flow(0).up, 2 * kForwarded.size());
  EXPECT_EQ(flow(0).down, 2 * kOk.size());
  ::shutdown(client.get(), SHUT_WR);
  turns();
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_FALSE((*outcome)->tunnel);
  EXPECT_TRUE(flow(0).finished);
}

TEST_F(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  start();
  ask(std::string(kGet) + "GET http://b.test/y HTTP/1.1\r\n\r\n");
  ASSERT_EQ(origins.flows.size(), 1U);
  EXPECT_EQ(answer(0, kOk), kOk);
  ASSERT_EQ(origins.flows.size(), 2U);
  EXPECT_EQ(flow(1).to, "b.test:80");
  EXPECT_EQ(answer(1, kOk), kOk);
}

// B071: Expect passes, 100 comes back, the body follows, and the connection serves on.
TEST_F(HttpServer, B071ContinueIsRelayed) {
  start();
  ask("POST http://a.test/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_NE(hear(flow(0).peer).find("Expect: 100-continue"), std::string::npos);
  EXPECT_EQ(answer(0, "HTTP/1.1 100 Continue\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(ask("body"), "");
  EXPECT_EQ(hear(flow(0).peer), "body");
  EXPECT_EQ(answer(0, kOk), kOk);
  ask(kGet);
  EXPECT_EQ(hear(flow(0).peer), kForwarded);
  EXPECT_EQ(answer(0, kOk), kOk);
}

TEST_F(HttpServer, ChunkedBodiesAreReframedBothWays) {
  start();
  ask("POST http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhel");
  ask("lo\r\n0\r\n\r\n");
  const std::string got = hear(flow(0).peer);
  EXPECT_TRUE(got.ends_with("\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")) << got;
  EXPECT_TRUE(answer(0, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
                  .ends_with("Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"));
  ask(kGet);
  EXPECT_EQ(origins.flows.size(), 1U);
}

TEST_F(HttpServer, OpenEndedAnswerBecomesChunkedForNewClientsAndEndsOldOnes) {
  start();
  ask(kGet);
  say(flow(0).peer, "HTTP/1.0 200 OK\r\n\r\nall");
  turns();
  hang_up(0);
  EXPECT_EQ(hear(client),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nall\r\n0\r\n\r\n");
  EXPECT_TRUE(flow(0).finished);
  ask("GET http://a.test/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  say(flow(1).peer, "HTTP/1.1 200 OK\r\n\r\nall");
  turns();
  hang_up(1);
  EXPECT_EQ(hear(client), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall");
  EXPECT_TRUE(outcome);
}

// B073: 407 keeps the connection; passwords hold colons and any bytes.
TEST_F(HttpServer, B073AsksForCredentialsOnTheSameConnection) {
  users = {{"u", "p:w\xc3\xa4"}};
  options.credentials = Credentials(users);
  start();
  constexpr auto kConnect = "CONNECT a.test:443 HTTP/1.1\r\n"sv;
  EXPECT_EQ(ask(std::string(kConnect) + "\r\n"),
            "HTTP/1.1 407 Proxy Authentication Required\r\n"
            "Proxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(ask(std::string(kConnect) + "Proxy-Authorization: Basic dTpwOnc=\r\n\r\n")
                  .starts_with("HTTP/1.1 407 "));
  EXPECT_FALSE(outcome);
  ask(std::string(kConnect) + "Proxy-Authorization: Basic dTpwOnfDpA==\r\n\r\n");
  ASSERT_TRUE(outcome && *outcome);
  EXPECT_EQ((*outcome)->user, "u");
}

TEST_F(HttpServer, BodyOfARefusedRequestIsThrownAway) {
  users = {{"u", "p"}};
  options.credentials = Credentials(users);
  start();
  EXPECT_TRUE(ask("POST http://a.test/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nbodyGET http://a.test/ "
                  "HTTP/1.1\r\nProxy-Authorization: Basic dTpw\r\n\r\n")
                  .starts_with("HTTP/1.1 407 "));
  ASSERT_EQ(origins.flows.size(), 1U);
  EXPECT_EQ(flow(0).user, "u");
  EXPECT_TRUE(hear(flow(0).peer).starts_with("GET / "));
}

TEST_F(HttpServer, UpstreamsAreNeverSharedBetweenUsers) {
  users = {{"u", "p"}, {"v", "p"}};
  options.credentials = Credentials(users);
  start();
  ask("GET http://a.test/ HTTP/1.1\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
  answer(0, kOk);
  ask("GET http://a.test/ HTTP/1.1\r\nProxy-Authorization: Basic djpw\r\n\r\n");
  ASSERT_EQ(origins.flows.size(), 2U);
  EXPECT_EQ(flow(1).user, "v");
}

TEST_F(HttpServer, UpgradeBecomesATunnelWithHalfClose) {
  start();
  ask("GET http://a.test/ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  EXPECT_EQ(answer(0, "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi"),
            "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi");
  hear(flow(0).peer);
  ask("raw \r\n\r\n bytes");
  EXPECT_EQ(hear(flow(0).peer), "raw \r\n\r\n bytes");
  ::shutdown(client.get(), SHUT_WR);
  turns();
  EXPECT_TRUE(at_end(flow(0).peer));
  EXPECT_EQ(answer(0, "late"), "late");
  ::shutdown(flow(0).peer.get(), SHUT_WR);
  turns();
  EXPECT_TRUE(at_end(client));
  EXPECT_TRUE(outcome);
}

TEST_F(HttpServer, StaleKeptConnectionIsReplacedOnce) {
  start();
  ask(kGet);
  answer(0, kOk);
  // The origin closes at the moment the next request is on its way.
  say(client, kGet);
  flow(0).peer.reset();
  turns();
  ASSERT_EQ(origins.flows.size(), 2U);
  EXPECT_EQ(hear(flow(1).peer), kForwarded);
  EXPECT_EQ(answer(1, kOk), kOk);
}

TEST_F(HttpServer, IdleOriginThatEndsIsDroppedAtOnce) {
  start();
  ask(kGet);
  answer(0, kOk);
  EXPECT_FALSE(flow(0).finished);
  flow(0).peer.reset();
  turns();
  EXPECT_TRUE(flow(0).finished);
  EXPECT_FALSE(outcome);
}

TEST_F(HttpServer, UpstreamThatMayNotBeReusedIsNot) {
  start();
  ask(kGet);
  flow(0).reusable = false;
  answer(0, kOk);
  EXPECT_TRUE(flow(0).finished);
  ask(kGet);
  EXPECT_EQ(origins.flows.size(), 2U);
}

TEST_F(HttpServer, FailuresBeforeTheAnswerAreTold) {
  start();
  ask(kGet);
  flow(0).peer.reset();
  turns();
  EXPECT_TRUE(hear(client).starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(outcome);
}

TEST_F(HttpServer, RefusalByARuleIs403) {
  origins.refuse = Errc::denied;
  start();
  EXPECT_TRUE(ask(kGet).starts_with("HTTP/1.1 403 "));
}

TEST_F(HttpServer, RefusalSaysWhatTheDialerKnowsOfIt) {
  origins.refuse = Errc::not_built;
  why = "proxy hk-03 (type Vmess): its type or one of its options is not built in";
  start();
  const std::string got = ask(kGet);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 ")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n403 Forbidden: " + why + "\r\n")) << got;
  EXPECT_TRUE(run(reply_connect(*client_end, 1, Error{Errc::not_built}, why, soon())));
  EXPECT_TRUE(hear(client).ends_with(": " + why + "\r\n"));
}

TEST_F(HttpServer, CutAnswerCutsTheClient) {
  start();
  ask(kGet);
  answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
  hang_up(0);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(*outcome);
  EXPECT_EQ(flow(0).reason, Errc::truncated);
}

TEST_F(HttpServer, ClientThatVanishesEndsTheExchange) {
  start();
  ask("POST http://a.test/ HTTP/1.1\r\nContent-Length: 100\r\n\r\npart");
  client.reset();
  turns();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->error().side, Side::client);
  EXPECT_TRUE(flow(0).finished);
}

// B070: nothing of this may hang, crash or reach an origin.
TEST_F(HttpServer, B070HostileHeadsGet400) {
  start();
  EXPECT_TRUE(ask("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(outcome);
  EXPECT_TRUE(origins.flows.empty());
}

TEST_F(HttpServer, B070EndlessHeadIsRefusedAtItsLimit) {
  start();
  std::string text = "GET http://a.test/ HTTP/1.1\r\n";
  while (text.size() < 70000) text += "X: " + std::string(1000, 'y') + "\r\n";
  EXPECT_TRUE(ask(text).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(outcome);
}

// Whichever slice is missing: the head's, the origin's answer, the client's copy of its head.
TEST_F(HttpServer, SlicesThatComeBackCompleteEveryExchange) {
  start();
  for (std::uint64_t blocks = 0; blocks < 4; ++blocks) {
    keep_slices(blocks);
    loop->spawn(give_slices_later());
    say(client, kGet);
    std::string asked;
    for (int i = 0; i < 30 && asked.empty(); ++i) {
      loop->run_once(10_ms);
      if (!origins.flows.empty()) asked = hear(flow(0).peer);
    }
    ASSERT_EQ(asked, kForwarded) << blocks;
    loop->run_once(40_ms);
    keep_slices(blocks);
    loop->spawn(give_slices_later());
    say(flow(0).peer, kOk);
    std::string answered;
    for (int i = 0; i < 30 && answered.size() < kOk.size(); ++i) {
      loop->run_once(10_ms);
      answered += hear(client);
    }
    ASSERT_EQ(answered, kOk) << blocks;
    loop->run_once(40_ms);
  }
  EXPECT_EQ(origins.flows.size(), 1U) << "the connection was kept";
}

TEST_F(HttpServer, MegabytesPassBothWaysIntact) {
  start();
  const std::string body = test::pattern(3000000);
  std::string up =
      "POST http://a.test/ HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  std::string down =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const std::size_t up_size = up.size() - "http://a.test"sv.size() + "Host: a.test\r\n"sv.size();
  const std::size_t down_size = down.size();
  std::string sent_up;
  std::string got_down;
  std::size_t up_at = 0;
  std::size_t down_at = 0;
  for (int i = 0; i < 20000 && (sent_up.size() < up_size || got_down.size() < down_size); ++i) {
    const ssize_t a = ::send(client.get(), up.data() + up_at, up.size() - up_at, MSG_NOSIGNAL);
    if (a > 0) up_at += static_cast<std::size_t>(a);
    loop->run_once(0_ms);
    if (origins.flows.empty()) continue;
    sent_up += hear(flow(0).peer);
    if (sent_up.size() < up_size) continue;
    const ssize_t b =
        ::send(flow(0).peer.get(), down.data() + down_at, down.size() - down_at, MSG_NOSIGNAL);
    if (b > 0) down_at += static_cast<std::size_t>(b);
    loop->run_once(0_ms);
    got_down += hear(client);
  }
  EXPECT_EQ(sent_up.size(), up_size);
  EXPECT_TRUE(sent_up.ends_with(body));
  EXPECT_EQ(got_down, down);
  EXPECT_EQ(flow(0).up, up_size);
}

}  // namespace
}  // namespace sluice::http
