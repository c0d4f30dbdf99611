#include "dataplane/protocol/socks/codec.h"

#include <algorithm>
#include <array>

#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::socks {
namespace {

using test::Bytes;
using test::from_hex;

template <class T>
void expect_every_prefix_truncated(const Bytes& wire, Result<T> (*decode)(Reader&)) {
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    Reader part{ByteView(wire).first(cut)};
    const auto got = decode(part);
    ASSERT_FALSE(got) << cut;
    EXPECT_EQ(got.error().code, Errc::truncated) << cut;
  }
}

template <class Encode>
Bytes encoded(const Encode& encode) {
  std::array<std::byte, 1024> room{};
  Writer out{room};
  encode(out);
  EXPECT_FALSE(out.overflow());
  return {out.written().begin(), out.written().end()};
}

const test::Vectors& known() {
  static const test::Vectors vectors("socks_http.txt");
  return vectors;
}

TEST(SocksGreeting, ListsMethodsAndEveryPrefixIsTruncated) {
  const Bytes wire = known().bytes("socks5.greeting_noauth_and_userpass");
  Reader in{wire};
  const auto greeting = decode_greeting(in);
  ASSERT_TRUE(greeting);
  EXPECT_TRUE(greeting->offers(Method::none));
  EXPECT_TRUE(greeting->offers(Method::user_password));
  expect_every_prefix_truncated(wire, &decode_greeting);
}

// B070: a greeting without methods, and other versions.
TEST(SocksGreeting, WithoutMethodsOrOfAnotherVersionIsRefused) {
  const Bytes none = from_hex("0500");
  Reader in{none};
  EXPECT_EQ(decode_greeting(in).error().code, Errc::malformed);
  const Bytes other = from_hex("0601");
  Reader second{other};
  EXPECT_EQ(decode_greeting(second).error().code, Errc::unsupported);
}

TEST(SocksAuth, RoundTripsAndEveryPrefixIsTruncated) {
  const Bytes wire = known().bytes("socks5.userpass_user_pass");
  Reader in{wire};
  const auto pair = decode_user_password(in);
  ASSERT_TRUE(pair);
  EXPECT_EQ(as_text(pair->user), "user");
  EXPECT_EQ(as_text(pair->password), "pass");
  EXPECT_EQ(encoded([](Writer& out) { EXPECT_TRUE(encode_user_password("user", "pass", out)); }),
            wire);
  expect_every_prefix_truncated(wire, &decode_user_password);
  const Bytes empty = from_hex("01047573657200");
  Reader no_password{empty};
  ASSERT_TRUE(decode_user_password(no_password));
  std::array<std::byte, 600> room{};
  Writer out{room};
  EXPECT_EQ(encode_user_password(std::string(256, 'x'), "", out).error().code, Errc::too_large);
}

TEST(SocksAuth, StatusIsAnErrorUnlessZero) {
  const Bytes ok = known().bytes("socks5.userpass_ok");
  Reader in{ok};
  EXPECT_TRUE(decode_auth_status(in));
  const Bytes bad = known().bytes("socks5.userpass_fail");
  Reader second{bad};
  EXPECT_EQ(decode_auth_status(second).error().code, Errc::auth_failed);
  expect_every_prefix_truncated(ok, &decode_auth_status);
}

struct Target {
  const char* name;
  const char* host;
  std::uint16_t port;
};

class SocksRequestTest : public ::testing::TestWithParam<Target> {};

TEST_P(SocksRequestTest, RoundTripsAndEveryPrefixIsTruncated) {
  const Bytes wire = known().bytes(std::string("socks5.connect_") + GetParam().name);
  Reader in{wire};
  const auto request = decode_request(in);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->command, Command::connect);
  const auto to = to_destination(request->address);
  ASSERT_TRUE(to);
  EXPECT_EQ(to->host(), GetParam().host);
  EXPECT_EQ(to->port, GetParam().port);
  EXPECT_EQ(encoded([&](Writer& out) { encode_request(Command::connect, *to, out); }), wire);
  expect_every_prefix_truncated(wire, &decode_request);
}
INSTANTIATE_TEST_SUITE_P(Targets, SocksRequestTest,
                         ::testing::Values(Target{"example.com_443", "example.com", 443},
                                           Target{"1.2.3.4_80", "1.2.3.4", 80},
                                           Target{"2001:db8::1_443", "2001:db8::1", 443}));

TEST(SocksAddress, RefusesUnknownTypesAndEmptyNames) {
  const Bytes type = from_hex("0201020304");
  Reader in{type};
  EXPECT_EQ(decode_address(in).error().code, Errc::unsupported);
  const Bytes empty = from_hex("03000050");
  Reader second{empty};
  EXPECT_EQ(decode_address(second).error().code, Errc::malformed);
}

TEST(SocksAddress, NameFieldWithALiteralIsThatAddressAndATrailingDotGoes) {
  Address address{Address::Kind::name, as_byte_view("10.0.0.1"), 80};
  EXPECT_EQ(to_destination(address)->ip, *IpAddress::parse("10.0.0.1"));
  EXPECT_FALSE(to_destination(address)->has_name());
  EXPECT_EQ(to_endpoint(address), *Endpoint::parse("10.0.0.1:80"));
  address.host = as_byte_view("Example.COM.");
  EXPECT_EQ(to_destination(address)->name, "example.com");
  EXPECT_FALSE(to_endpoint(address).ip.valid());
  address.host = as_byte_view("a b");
  EXPECT_EQ(to_destination(address).error().code, Errc::malformed);
}

TEST(SocksReply, RoundTripsAndEveryPrefixIsTruncated) {
  const Bytes wire = known().bytes("socks5.reply_ok_127.0.0.1_1080");
  Reader in{wire};
  const auto reply = decode_reply(in);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->code, Reply::succeeded);
  EXPECT_EQ(to_endpoint(reply->bound), *Endpoint::parse("127.0.0.1:1080"));
  EXPECT_EQ(
      encoded([&](Writer& out) { encode_reply(Reply::succeeded, to_endpoint(reply->bound), out); }),
      wire);
  expect_every_prefix_truncated(wire, &decode_reply);
  EXPECT_EQ(encoded([](Writer& out) { encode_reply(Reply::refused, Endpoint{}, out); }),
            known().bytes("socks5.reply_refused"));
}

TEST(SocksReply, CodesSurviveTheWayThroughErrors) {
  for (const Reply code : {Reply::not_allowed, Reply::network_unreachable, Reply::refused,
                           Reply::command_unsupported}) {
    const Error error = error_for(code);
    EXPECT_EQ(error.side, Side::upstream);
    EXPECT_EQ(error.detail, static_cast<std::uint16_t>(code));
    EXPECT_EQ(reply_for(error), code);
  }
  EXPECT_EQ(reply_for(Error{}), Reply::succeeded);
  EXPECT_EQ(reply_for(Error{Errc::timeout}), Reply::host_unreachable);
  EXPECT_EQ(reply_for(Error{Errc::no_room}), Reply::general_failure);
}

TEST(Socks4, RequestsWithAddressAndWithName) {
  const Bytes plain = known().bytes("socks4.connect_1.2.3.4_80_user_bob");
  Reader in{plain};
  const auto request = decode_request4(in);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->ip, *IpAddress::parse("1.2.3.4"));
  EXPECT_EQ(request->port, 80);
  EXPECT_EQ(as_text(request->user), "bob");
  EXPECT_TRUE(request->name.empty());
  expect_every_prefix_truncated(plain, &decode_request4);

  const Bytes named = known().bytes("socks4.socks4a_connect_example.com_443");
  Reader second{named};
  const auto with_name = decode_request4(second);
  ASSERT_TRUE(with_name);
  EXPECT_EQ(as_text(with_name->name), "example.com");
  EXPECT_EQ(with_name->port, 443);
  expect_every_prefix_truncated(named, &decode_request4);
}

TEST(Socks4, FieldsAreBounded) {
  Bytes wire = from_hex("0401005001020304");
  wire.insert(wire.end(), 255, std::byte{'x'});
  Reader open{wire};
  EXPECT_EQ(decode_request4(open).error().code, Errc::truncated);
  wire.push_back(std::byte{'x'});
  Reader over{wire};
  EXPECT_EQ(decode_request4(over).error().code, Errc::too_large);
  const Bytes no_name = from_hex(
      "0401005000000001"
      "00"
      "00");
  Reader empty{no_name};
  EXPECT_EQ(decode_request4(empty).error().code, Errc::malformed);
}

TEST(Socks4, RepliesMatchKnownAnswers) {
  EXPECT_EQ(encoded([](Writer& out) { encode_reply4(Reply4::granted, out); }),
            known().bytes("socks4.reply_granted"));
  EXPECT_EQ(encoded([](Writer& out) { encode_reply4(Reply4::user_mismatch, out); }),
            known().bytes("socks4.reply_userid_mismatch"));
}

}  // namespace
}  // namespace sluice::socks
