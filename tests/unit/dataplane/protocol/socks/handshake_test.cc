// The server against scripted clients, the client against scripted servers, and both together.
#include "dataplane/protocol/socks/client.h"
#include "dataplane/protocol/socks/server.h"
#include "tests/unit/dataplane/support/end_fixture.h"

namespace sluice::socks {
namespace {

using namespace std::string_view_literals;

class SocksHandshake : public test::EndFixture {
 protected:
  /// What the server makes of `said`, given at once; `answer` is what it sent.
  Result<ServerRequest> serve(std::string_view said) {
    auto [end, peer] = make_pair();
    say(peer, said);
    in.clear();
    auto request = run(accept_socks(*end, in, options, soon()));
    answer = hear(peer);
    return request;
  }
  /// What the client makes of a server that says `said`; `asked` is what the client sent.
  Status connect(std::string_view said, const Destination& to, ClientOptions credentials = {}) {
    auto [end, peer] = make_pair();
    say(peer, said);
    const Status status = run(connect_through(*end, to, credentials, soon()));
    asked = hear(peer);
    if (status) {
      SliceQueue rest;
      (void)end->read(rest, 100);
      tunnel = test::text_of(rest);
    }
    return status;
  }
  void require(std::string user, std::string password) {
    users = {{std::move(user), std::move(password)}};
    options.credentials = Credentials(users);
  }
  std::vector<contract::User> users;
  ServerOptions options;
  SliceQueue in;
  std::string answer;
  std::string asked;
  std::string tunnel;
};

TEST_F(SocksHandshake, Socks5WithoutCredentialsKeepsWhatFollowsTheRequest) {
  const auto request = serve("\5\1\0\5\1\0\3\13example.com\1\273payload"sv);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->version, Version::socks5);
  EXPECT_EQ(request->command, Command::connect);
  EXPECT_EQ(request->to.to_string(), "example.com:443");
  EXPECT_EQ(answer, "\5\0"sv);
  EXPECT_EQ(test::text_of(in), "payload");
}

TEST_F(SocksHandshake, PiecesOfOneByteAreEnough) {
  auto [end, peer] = make_pair();
  std::optional<Result<ServerRequest>> out;
  loop->spawn(store(accept_socks(*end, in, options, soon()), out));
  for (const char c : "\5\1\0\5\1\0\1\1\2\3\4\0\120"sv) {
    EXPECT_FALSE(out);
    say(peer, std::string_view(&c, 1));
    loop->run_once(10_ms);
  }
  ASSERT_TRUE(out && *out);
  EXPECT_EQ((*out)->to.to_string(), "1.2.3.4:80");
}

TEST_F(SocksHandshake, CredentialsAreAskedAndCompared) {
  require("user", "pass");
  const auto good = serve("\5\2\0\2\1\4user\4pass\5\1\0\1\1\2\3\4\0\120"sv);
  ASSERT_TRUE(good);
  EXPECT_EQ(good->user, "user");
  EXPECT_EQ(answer, "\5\2\1\0"sv);
  EXPECT_EQ(serve("\5\1\2\1\4user\4pasS"sv).error(), (Error{Errc::auth_failed, Side::client}));
  EXPECT_EQ(answer, "\5\2\1\1"sv);
  EXPECT_EQ(serve("\5\1\0"sv).error().code, Errc::auth_failed);
  EXPECT_EQ(answer, "\5\377"sv);
}

TEST_F(SocksHandshake, ClientThatOnlyOffersAPasswordIsTakenByAnOpenListener) {
  const auto request = serve("\5\1\2\1\4user\0\5\1\0\1\1\2\3\4\0\120"sv);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->user, "");
  options.any_user = true;
  EXPECT_EQ(serve("\5\2\0\2\1\4user\0\5\1\0\1\1\2\3\4\0\120"sv)->user, "user");
}

TEST_F(SocksHandshake, AServerThatIsClosedTakesNoMethod) {
  options.any_user = true;
  options.closed = true;
  for (const std::string_view greeting : {"\5\1\0"sv, "\5\2\0\2"sv}) {
    EXPECT_EQ(serve(greeting).error(), (Error{Errc::auth_failed, Side::client}));
    EXPECT_EQ(answer, "\5\377"sv);
  }
  EXPECT_FALSE(serve("\4\1\0\120\1\2\3\4\0"sv));
  EXPECT_EQ(answer.substr(0, 2), "\0\135"sv);
}

TEST_F(SocksHandshake, WhatIsNotOfferedIsRefusedInWords) {
  EXPECT_EQ(serve("\5\1\0\5\2\0\1\1\2\3\4\0\120"sv).error().code, Errc::unsupported);
  EXPECT_EQ(answer.substr(2, 2), "\5\7"sv);
  EXPECT_EQ(serve("\5\1\0\5\1\0\7\1\2\3\4\0\120"sv).error().code, Errc::unsupported);
  EXPECT_EQ(answer.substr(2, 2), "\5\10"sv);
  EXPECT_EQ(serve("\5\1\0\5\1\0\3\3a b\0\120"sv).error().code, Errc::malformed);
  EXPECT_EQ(answer.substr(2, 2), "\5\10"sv);
  EXPECT_FALSE(serve("\5\1\0\5\203\0\1\1\2\3\4\0\120"sv));
  options.framed = true;
  EXPECT_EQ(serve("\5\1\0\5\203\0\1\1\2\3\4\0\120"sv)->command, Command::framed_datagrams);
  options.udp = false;
  EXPECT_FALSE(serve("\5\1\0\5\3\0\1\0\0\0\0\0\0"sv));
  options.udp = true;
  EXPECT_EQ(serve("\5\1\0\5\3\0\1\0\0\0\0\0\0"sv)->command, Command::udp_associate);
}

// B070: no methods; nothing that can be answered.
TEST_F(SocksHandshake, GreetingWithoutMethodsEndsTheHandshake) {
  EXPECT_EQ(serve("\5\0"sv).error(), (Error{Errc::malformed, Side::client}));
  EXPECT_EQ(serve("\6\1\0"sv).error().code, Errc::unsupported);
}

TEST_F(SocksHandshake, Socks4AndItsNames) {
  EXPECT_EQ(serve("\4\1\0\120\1\2\3\4bob\0rest"sv)->to.to_string(), "1.2.3.4:80");
  EXPECT_EQ(test::text_of(in), "rest");
  const auto named = serve("\4\1\1\273\0\0\0\1\0example.com\0"sv);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->to.to_string(), "example.com:443");
  EXPECT_EQ(named->user, "");
  EXPECT_EQ(serve("\4\2\0\120\1\2\3\4\0"sv).error().code, Errc::unsupported);
  EXPECT_EQ(answer.substr(0, 2), "\0\133"sv);
}

TEST_F(SocksHandshake, Socks4UserMustHaveNoPassword) {
  require("bob", "");
  EXPECT_EQ(serve("\4\1\0\120\1\2\3\4bob\0"sv)->user, "bob");
  EXPECT_EQ(serve("\4\1\0\120\1\2\3\4eve\0"sv).error().code, Errc::auth_failed);
  EXPECT_EQ(answer.substr(0, 2), "\0\135"sv);
  require("bob", "secret");
  EXPECT_EQ(serve("\4\1\0\120\1\2\3\4bob\0"sv).error().code, Errc::auth_failed);
}

TEST_F(SocksHandshake, EveryCutEndsWithTheStream) {
  const auto whole = "\5\1\0\5\1\0\3\13example.com\1\273"sv;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    auto [end, peer] = make_pair();
    say(peer, whole.substr(0, cut));
    ::shutdown(peer.get(), SHUT_WR);
    SliceQueue bytes;
    const auto request = run(accept_socks(*end, bytes, options, soon()));
    ASSERT_FALSE(request) << cut;
    EXPECT_EQ(request.error(), (Error{Errc::closed, Side::client})) << cut;
  }
}

TEST_F(SocksHandshake, RepliesSpeakTheVersionThatAsked) {
  auto [end, peer] = make_pair();
  const Endpoint bound = *Endpoint::parse("127.0.0.1:1080");
  EXPECT_TRUE(run(send_reply(*end, Version::socks5, Error{}, bound, soon())));
  EXPECT_EQ(hear(peer), "\5\0\0\1\177\0\0\1\4\70"sv);
  EXPECT_TRUE(run(send_reply(*end, Version::socks5, Error{Errc::denied}, Endpoint{}, soon())));
  EXPECT_EQ(hear(peer), "\5\2\0\1\0\0\0\0\0\0"sv);
  EXPECT_TRUE(run(send_reply(*end, Version::socks4, Error{Errc::refused}, bound, soon())));
  EXPECT_EQ(hear(peer), "\0\133\0\0\0\0\0\0"sv);
}

TEST_F(SocksHandshake, ClientSendsNamesAsNamesAndKeepsEarlyPayload) {
  const auto to = *Destination::from_host("example.com", 443);
  ASSERT_TRUE(connect("\5\0\5\0\0\1\0\0\0\0\0\0banner"sv, to));
  EXPECT_EQ(asked, "\5\1\0\5\1\0\3\13example.com\1\273"sv);
  EXPECT_EQ(tunnel, "banner");
}

TEST_F(SocksHandshake, ClientReadsAReplyWithAName) {
  const auto to = *Destination::from_host("1.2.3.4", 80);
  ASSERT_TRUE(connect("\5\0\5\0\0\3\3abc\0\0x"sv, to));
  EXPECT_EQ(tunnel, "x");
}

TEST_F(SocksHandshake, ClientAnswersAPasswordRequest) {
  const auto to = *Destination::from_host("1.2.3.4", 80);
  ASSERT_TRUE(connect("\5\2\1\0\5\0\0\1\0\0\0\0\0\0"sv, to, {"user", "pass"}));
  EXPECT_EQ(asked, "\5\2\0\2\1\4user\4pass\5\1\0\1\1\2\3\4\0\120"sv);
  EXPECT_EQ(connect("\5\2\1\1"sv, to, {"user", "pass"}).error(),
            (Error{Errc::auth_failed, Side::upstream}));
  EXPECT_EQ(connect("\5\2"sv, to).error().code, Errc::auth_failed);
  EXPECT_EQ(connect("\5\377"sv, to, {"user", "pass"}).error().code, Errc::auth_failed);
  const std::string long_name(300, 'x');
  EXPECT_EQ(connect("\5\2"sv, to, {long_name, "p"}).error().code, Errc::too_large);
}

TEST_F(SocksHandshake, ClientReportsTheServersReason) {
  const auto to = *Destination::from_host("1.2.3.4", 80);
  const Status refused = connect("\5\0\5\5\0\1\0\0\0\0\0\0"sv, to);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{Errc::refused, Side::upstream, 5, 0}));
  EXPECT_EQ(connect("HTTP/1.1"sv, to).error(), (Error{Errc::unsupported, Side::upstream}));
}

Task<void> serve_and_grant(transport::End& end, const ServerOptions& options, Until until,
                           std::string& seen) {
  SliceQueue in;
  Result<ServerRequest> request = co_await accept_socks(end, in, options, until);
  if (!request) co_return;
  seen = request->user + "@" + request->to.to_string();
  co_await send_reply(end, request->version, Error{}, Endpoint{}, until);
}

TEST_F(SocksHandshake, ClientAndServerUnderstandEachOther) {
  require("user", "p:w");
  auto fds = socket_pair();
  auto client = make_end(std::move(fds[0]));
  auto server = make_end(std::move(fds[1]));
  std::string seen;
  loop->spawn(serve_and_grant(*server, options, soon(), seen));
  const auto to = *Destination::from_host("example.com", 443);
  EXPECT_TRUE(run(connect_through(*client, to, {"user", "p:w"}, soon())));
  EXPECT_EQ(seen, "user@example.com:443");
}

// An accepted client is served late rather than lost, whichever slice is not to be had.
TEST_F(SocksHandshake, SlicesThatComeBackInTimeCompleteIt) {
  for (std::uint64_t blocks = 0; blocks < 4; ++blocks) {
    keep_slices(blocks);
    loop->spawn(give_slices_later());
    const auto request = serve("\5\1\0\5\1\0\1\1\2\3\4\0\120"sv);
    ASSERT_TRUE(request) << blocks;
    EXPECT_EQ(request->to.to_string(), "1.2.3.4:80");
    EXPECT_EQ(answer, "\5\0"sv);
    loop->run_once(40_ms);  // the slices' own timer
    give_slices();
  }
}

TEST_F(SocksHandshake, SlicesThatStayAwayEndItAtItsDeadlineAndNothingLeaks) {
  bool passed = false;
  for (std::uint64_t blocks = 0; !passed; ++blocks) {
    ASSERT_LT(blocks, 20U);
    keep_slices(blocks);
    auto [end, peer] = make_pair();
    say(peer, "\5\1\0\5\1\0\1\1\2\3\4\0\120"sv);
    const Moment deadline = loop->refresh_now() + 60_ms;
    const auto request = run(accept_socks(*end, in, options, deadline));
    passed = request.has_value();
    EXPECT_TRUE(passed || loop->refresh_now() >= deadline) << blocks;
    EXPECT_EQ(passed ? Errc::no_room : request.error().code, Errc::no_room);
    give_slices();
    in.clear();
    EXPECT_EQ(pool.used_count(), 0U);
  }
}

TEST_F(SocksHandshake, ClientWaitsForSlicesToo) {
  const auto to = *Destination::from_host("example.com", 443);
  for (std::uint64_t blocks = 0; blocks < 3; ++blocks) {
    keep_slices(blocks);
    loop->spawn(give_slices_later());
    ASSERT_TRUE(connect("\5\2\1\0\5\0\0\1\0\0\0\0\0\0banner"sv, to, {"user", "pass"}));
    EXPECT_EQ(tunnel, "banner");
    loop->run_once(40_ms);
    give_slices();
  }
}

TEST_F(SocksHandshake, AssociationIsSetUpWhenSlicesComeBack) {
  auto fds = socket_pair();
  const UniqueFd peer = std::move(fds[1]);
  say(peer, "\5\0\5\0\0\1\177\0\0\1\0\11"sv);
  DatagramBatch batch;
  keep_slices(0);
  loop->spawn(give_slices_later());
  const auto end = run(associate_through(make_end(std::move(fds[0])), {}, batch, {}, soon()));
  EXPECT_TRUE(end);
  EXPECT_EQ(hear(peer).substr(0, 6), "\5\1\0\5\3\0"sv);
}

}  // namespace
}  // namespace sluice::socks
