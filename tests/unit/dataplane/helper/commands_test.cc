#include "dataplane/helper/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sample_table.h"

namespace sluice::nft {
namespace {

using test::sample_table;

std::vector<std::byte> encode(const Request& request) {
  std::vector<std::byte> room(kMaxFrameBytes);
  Writer out{room};
  encode_request(request, out);
  EXPECT_FALSE(out.overflow());
  room.resize(out.size());
  return room;
}

Request with_table(CaptureTable table) {
  Request request;
  request.command = Command::apply;
  request.id = 7;
  request.table = std::move(table);
  return request;
}

Request with_elements(Command command) {
  Request request;
  request.command = command;
  request.elements.prefixes = {Prefix::parse("203.0.113.0/24").value(),
                               Prefix::parse("2001:db8::1/128").value()};
  return request;
}

std::vector<Request> one_of_each() {
  std::vector<Request> all{with_table(sample_table()), with_table({}),
                           with_elements(Command::add_elements),
                           with_elements(Command::remove_elements)};
  for (const Command command :
       {Command::probe, Command::remove_guard, Command::cleanup, Command::tear_down}) {
    Request request;
    request.command = command;
    all.push_back(request);
  }
  for (const bool on : {false, true}) {
    Request request;
    request.command = Command::dns_redirect;
    request.dns_redirect = on;
    all.push_back(request);
  }
  return all;
}

TEST(Request, RoundTripsAndEveryPrefixIsTruncated) {
  for (const Request& request : one_of_each()) {
    SCOPED_TRACE(to_text(request.command));
    const std::vector<std::byte> wire = encode(request);
    const Result<Request> back = decode_request(wire);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->command, request.command);
    EXPECT_EQ(back->id, request.id);
    EXPECT_EQ(back->table, request.table);
    EXPECT_EQ(back->elements, request.elements);
    EXPECT_EQ(back->dns_redirect, request.dns_redirect);
    for (std::size_t cut = 0; cut < wire.size(); ++cut)
      ASSERT_EQ(decode_request(ByteView(wire).first(cut)).error().code, Errc::truncated) << cut;
  }
}

TEST(Request, TrailingBytesAreMalformed) {
  for (const Request& request : one_of_each()) {
    std::vector<std::byte> wire = encode(request);
    wire.push_back(std::byte{0});
    EXPECT_EQ(decode_request(wire).error().code, Errc::malformed) << to_text(request.command);
  }
}

TEST(Request, UnknownVersionAndCommandAreUnsupported) {
  std::vector<std::byte> wire = encode(Request{});
  wire[0] = std::byte{kVersion + 1};
  EXPECT_EQ(decode_request(wire).error().code, Errc::unsupported);
  wire[0] = std::byte{kVersion};
  for (const int command : {0, 9, 255}) {
    wire[1] = static_cast<std::byte>(command);
    EXPECT_EQ(decode_request(wire).error().code, Errc::unsupported) << command;
  }
}

/// Encodes a table that the encoder takes but no data plane may send.
Errc refusal(void (*spoil)(CaptureTable&)) {
  CaptureTable table = sample_table();
  spoil(table);
  const Result<Request> back = decode_request(encode(with_table(std::move(table))));
  return back ? Errc::none : back.error().code;
}

TEST(Request, TablesThatMakeNoSenseAreMalformed) {
  using Table = CaptureTable;
  ASSERT_EQ(refusal([](Table&) {}), Errc::none);
  const Errc no = Errc::malformed;
  EXPECT_EQ(refusal([](Table& t) { t.dns_hijack = false; }), no) << "redirect without hijack";
  EXPECT_EQ(refusal([](Table& t) { t.marks.bypass = 0; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.marks.bypass = 0x10000; }), no) << "outside the mask";
  EXPECT_EQ(refusal([](Table& t) { t.marks.bypass = t.marks.tproxy; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.marks.dns = t.marks.tproxy; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.udp_ports[2] = 0; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.udp_ports.assign(kMaxUdpPorts + 1, 9); }), no);
  EXPECT_EQ(refusal([](Table& t) { t.lan[1].name = t.lan[0].name; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.exempt_uids.assign(kMaxExemptUids + 1, 9); }), no);
  EXPECT_EQ(refusal([](Table& t) { t.fakes.resize(kMaxFakes + 1, t.fakes[0]); }), no);
  EXPECT_EQ(refusal([](Table& t) { t.fakes[0].length = 33; }), no);
  EXPECT_EQ(refusal([](Table& t) { t.fakes[0].length = 8; }), no) << "host bits";
  EXPECT_EQ(refusal([](Table& t) { t.bypass.push_back({}); }), no) << "no family";
  EXPECT_EQ(refusal([](Table& t) { t.bypass.assign(kMaxBypass + 1, t.bypass[0]); }), no);
}

TEST(Request, DeviceNamesAreWhatTheKernelTakes) {
  for (const char* bad : {"", ".", "..", "a/b", "a b", "a\tb", "a:b", "sixteen-letters-", "a\"b"}) {
    CaptureTable table = sample_table();
    table.lan[0].name = bad;
    EXPECT_EQ(decode_request(encode(with_table(table))).error().code, Errc::malformed) << bad;
  }
  CaptureTable table = sample_table();
  table.lan[0].name = "fifteen-letters";
  EXPECT_TRUE(decode_request(encode(with_table(table))));
}

TEST(Request, ElementsAreBoundedAndNotEmpty) {
  Request request = with_elements(Command::add_elements);
  request.elements.prefixes.assign(kMaxElements, Prefix::parse("2001:db8::/32").value());
  EXPECT_TRUE(decode_request(encode(request)));
  request.elements.prefixes.push_back(Prefix::parse("2001:db8::/32").value());
  EXPECT_EQ(decode_request(encode(request)).error().code, Errc::malformed);
  request.elements.prefixes.clear();
  EXPECT_EQ(decode_request(encode(request)).error().code, Errc::malformed);
  request.elements.set = SetId::addresses;
  request.elements.prefixes = {Prefix::parse("192.0.2.1/32").value()};
  EXPECT_TRUE(decode_request(encode(request)));
  request.elements.prefixes.push_back(Prefix::parse("192.0.2.0/24").value());
  EXPECT_EQ(decode_request(encode(request)).error().code, Errc::malformed);
}

TEST(Verdict, RoundTripsAndEveryPrefixIsTruncated) {
  const Verdict verdict{Command::apply, 9, 2, "nft_tproxy: No such file or directory"};
  std::array<std::byte, 512> room{};
  Writer out{room};
  encode_verdict(verdict, out);
  const Result<Verdict> back = decode_verdict(out.written());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->command, verdict.command);
  EXPECT_EQ(back->id, verdict.id);
  EXPECT_EQ(back->error, verdict.error);
  EXPECT_EQ(back->text, verdict.text);
  for (std::size_t cut = 0; cut < out.size(); ++cut)
    EXPECT_EQ(decode_verdict(out.written().first(cut)).error().code, Errc::truncated) << cut;
}

TEST(Verdict, LongTextsAreCut) {
  std::array<std::byte, 512> room{};
  Writer out{room};
  encode_verdict({Command::apply, 1, 5, std::string(kMaxVerdictText + 50, 'x')}, out);
  ASSERT_FALSE(out.overflow());
  EXPECT_EQ(decode_verdict(out.written())->text, std::string(kMaxVerdictText, 'x'));
}

}  // namespace
}  // namespace sluice::nft
