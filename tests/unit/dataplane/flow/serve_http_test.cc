// HTTP clients of a real engine: flows to their origins, refusals, and flows that users close.
#include "dataplane/flow/serve_http.h"

#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {
namespace {

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ServeHttp : public EngineRig {
 protected:
  void SetUp() override {
    EngineRig::SetUp();
    engine->flows().watch(true);
    client = connect_pair(*worker);
    auto listening = listen_tcp({kLoopback, 0});
    ASSERT_TRUE(listening);
    origin = std::move(*listening);
    at = local_endpoint(origin.get());
    worker->loop().spawn(serve());
  }
  void TearDown() override {
    worker->loop().end_roots();
    client.end.reset();
    EngineRig::TearDown();
  }
  Task<void> serve() {
    Request request;
    request.source = *Endpoint::parse(source);
    Task<void> life =
        run_steps(serve_http_client(*engine, std::move(client.end), {}, std::move(request), {}));
    co_await life;
    served = true;
  }
  void get() { put(client.test, "GET http://" + at.to_string() + "/ HTTP/1.1\r\n\r\n"); }
  /// The connection that the origin sees next.
  UniqueFd accept() {
    Endpoint from;
    Result<UniqueFd> got = fail(Errc::again);
    for (int i = 0; i < 400 && !got; ++i) {
      worker->loop().run_once(5_ms);
      got = accept_one(origin.get(), from);
    }
    EXPECT_TRUE(got);
    return got ? std::move(*got) : UniqueFd();
  }
  /// Waits until `fd` brought something that ends with `text`.
  std::string hear(const UniqueFd& fd, std::string_view text) {
    Got got;
    turn_until([&] {
      take(fd, got);
      return got.text.ends_with(text) || got.ended || got.reset;
    });
    return got.text;
  }
  bool ends(const UniqueFd& fd) {
    Got got;
    for (int i = 0; i < 100 && !got.ended && !got.reset; ++i) {
      worker->loop().run_once(5_ms);
      take(fd, got);
    }
    return got.ended || got.reset;
  }

  TcpPair client;
  UniqueFd origin;
  Endpoint at;
  std::string source = "192.0.2.1:4000";  ///< of the client
  bool served = false;
};

TEST_F(ServeHttp, ClosingAnIdleKeptFlowEndsItAtOnceAndCountsItWhole) {
  get();
  const UniqueFd first = accept();
  const std::string asked = hear(first, "\r\n\r\n");
  put(first, kOk);
  EXPECT_EQ(hear(client.test, "ok"), kOk);
  ASSERT_EQ(engine->flows().count(), 1U) << "kept for the next request";
  const std::uint64_t id = engine->flows().list()[0].id;
  EXPECT_EQ(engine->flows().close({&id, 1},
                                  {contract::CloseReason::closed_by_user, "closed by the user"}),
            1U);
  EXPECT_TRUE(ends(first)) << "the origin's connection";
  EXPECT_EQ(engine->flows().count(), 0U);
  engine->report();
  ASSERT_EQ(sink.closed.size(), 1U);
  EXPECT_EQ(sink.closed[0].close_reason, "closed by the user");
  EXPECT_EQ(sink.closed[0].upload, asked.size());
  EXPECT_EQ(sink.closed[0].download, kOk.size());
  ASSERT_EQ(sink.deltas.size(), 1U);
  EXPECT_EQ(sink.deltas[0].upload, asked.size());
  EXPECT_EQ(sink.deltas[0].download, kOk.size());
  EXPECT_EQ(sink.deltas[0].flows, 1U);
  // The client's own connection is no flow: its next request is decided anew.
  get();
  const UniqueFd second = accept();
  hear(second, "\r\n\r\n");
  put(second, kOk);
  EXPECT_EQ(hear(client.test, "ok"), kOk);
  EXPECT_FALSE(served);
}

TEST_F(ServeHttp, ClosingAFlowInTheMiddleOfAnAnswerCutsTheClient) {
  get();
  const UniqueFd first = accept();
  const std::string asked = hear(first, "\r\n\r\n");
  const std::string part = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart";
  put(first, part);
  EXPECT_EQ(hear(client.test, "part"), part);
  EXPECT_EQ(
      engine->flows().close({}, {contract::CloseReason::closed_by_user, "closed by the user"}), 1U);
  turn_until([&] { return served; });
  EXPECT_TRUE(ends(first));
  engine->report();
  ASSERT_EQ(sink.closed.size(), 1U);
  EXPECT_EQ(sink.closed[0].close_reason, "closed by the user");
  EXPECT_EQ(sink.closed[0].download, part.size());
  ASSERT_EQ(sink.deltas.size(), 1U);
  EXPECT_EQ(sink.deltas[0].upload, asked.size());
}

class ServeHttpHere : public ServeHttp {
 protected:
  ServeHttpHere() { source = "127.0.0.1:4000"; }
};

TEST_F(ServeHttp, NamesOfProxiesAreNotForWhoeverFindsTheOpenPort) {
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    rules.always();
    m.rules = {{"Match", "", 4}};
  });
  get();
  const std::string got = hear(client.test, "built in\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 ")) << got;
  EXPECT_NE(got.find("403 Forbidden: "), std::string::npos) << "the reason in itself: " << got;
  EXPECT_EQ(got.find("unbuilt"), std::string::npos) << got;
}

TEST_F(ServeHttpHere, TheRuleThatRefusesIsNamedToTheClient) {
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    rules.always();
    m.rules = {{"DomainSuffix", "ads.test", 1, 7}};
  });
  get();
  const std::string got = hear(client.test, "REJECT\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 ")) << got;
  EXPECT_TRUE(
      got.ends_with("403 Forbidden: rule 7 (DOMAIN-SUFFIX,ads.test) sends it to REJECT\r\n"))
      << got;
}

TEST_F(ServeHttp, AnOriginThatRefusesIsSaidToBe) {
  origin.reset();
  get();
  const std::string got = hear(client.test, "refused\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 502 ")) << got;
  EXPECT_NE(got.find("502 Bad Gateway: "), std::string::npos) << got;
}

TEST_F(ServeHttpHere, ProxyThatIsNotBuiltIsNamedToTheClient) {
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    rules.always();
    m.rules = {{"Match", "", 4}};
  });
  get();
  const std::string got = hear(client.test, "built in\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 ")) << got;
  EXPECT_TRUE(got.ends_with(
      "proxy unbuilt (type Vmess): its type or one of its options is not built in\r\n"))
      << got;
}

TEST_F(ServeHttpHere, TunnelThroughAProxyThatIsNotBuiltIsRefusedInTheSameWords) {
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    rules.always();
    m.rules = {{"Match", "", 4}};
  });
  put(client.test, "CONNECT " + at.to_string() + " HTTP/1.1\r\n\r\n");
  const std::string got = hear(client.test, "built in\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 ")) << got;
  EXPECT_TRUE(got.ends_with(
      "proxy unbuilt (type Vmess): its type or one of its options is not built in\r\n"))
      << got;
}

}  // namespace
}  // namespace sluice::flow
