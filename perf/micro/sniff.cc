// What one look at a flow's start costs: the bytes are those of real clients where it says so.
//
// The QUIC rows take keys from the connection id, take off the header's protection, open the
// packet and read the hello; `cipher_alone` opens the same bytes with a key that is there.
#include <fstream>
#include <iterator>
#include <string>

#include "dataplane/sniff/datagram.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/stream.h"
#include "perf/micro/count_allocations.h"

// Run from the root of the tree when the build does not say where that is.
#ifndef SLUICE_GOLDEN
#define SLUICE_GOLDEN "tests/golden"
#endif

namespace {

using namespace sluice;
using namespace sluice::sniff;

std::string capture(const std::string& name) {
  std::ifstream in(SLUICE_GOLDEN "/sniff/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The first datagram of a file of them.
std::string first_datagram(const std::string& name) {
  const std::string bytes = capture(name);
  Reader in{as_byte_view(bytes)};
  return std::string(as_text(in.take(in.u16be())));
}

void look_at_stream(benchmark::State& state, const std::string& wire, Verdict expected) {
  if (sniff_stream(as_byte_view(wire)).verdict != expected) state.SkipWithError("another answer");
  const std::uint64_t before = perf::so_far();
  for (auto _ : state) benchmark::DoNotOptimize(sniff_stream(as_byte_view(wire)));
  perf::expect_none(state, before);
}

void tls_hello(benchmark::State& state) {
  look_at_stream(state, capture("tls-curl"), Verdict::found);
}
void tls_hello_in_records(benchmark::State& state) {
  look_at_stream(state, capture("tls-openssl-records"), Verdict::found);
}
void http1_request(benchmark::State& state) {
  look_at_stream(state, capture("http1-curl"), Verdict::found);
}
void h2c_request(benchmark::State& state) {
  look_at_stream(state, capture("h2c-curl"), Verdict::found);
}
void another_protocol(benchmark::State& state) {
  look_at_stream(state, std::string("\x05\x01\x00", 3), Verdict::nothing);
}
/// The dearest look there is: as many extensions as are looked at, each in two records.
void worst_hello(benchmark::State& state) {
  std::string body("\x03\x03");
  body += std::string(32, 'r') + std::string("\0\0\2\x13\1\1\0", 7);
  std::string extensions;
  for (std::size_t i = 0; i + 1 < kMaxFields; ++i) extensions += std::string("\x0a\x0a\0\0", 4);
  body += static_cast<char>(extensions.size() >> 8);
  body += static_cast<char>(extensions.size() & 0xff);
  body += extensions;
  std::string message("\1\0", 2);
  message += static_cast<char>(body.size() >> 8);
  message += static_cast<char>(body.size() & 0xff);
  message += body;
  std::string wire;
  for (std::size_t at = 0; at < message.size(); at += 3)
    wire += std::string("\x16\x03\x01\0\3", 5) + message.substr(at, 3);
  look_at_stream(state, wire.substr(0, wire.size() - 3), Verdict::needs_more);
}

void worst_http1(benchmark::State& state) {
  std::string wire = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i + 1 < kMaxFields; ++i)
    wire += std::string(kMaxFieldName, '~') + ": " + std::string(40, 'v') + "\r\n";
  look_at_stream(state, wire, Verdict::needs_more);
}
/// Names as long as they are decoded, in the code with the most bits a byte.
void worst_h2c(benchmark::State& state) {
  std::string block;
  for (std::size_t i = 0; i + 1 < kMaxFields; ++i)
    block += std::string("\0\x8c", 2) + std::string(11, '\x18') + std::string("\x1f\0", 2);
  std::string wire("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
  wire += std::string("\0\x3f\xff\1\4\0\0\0\1", 9) + block;
  look_at_stream(state, wire, Verdict::needs_more);
}

void look_at_datagram(benchmark::State& state, const std::string& datagram, Protocol expected) {
  auto opener = InitialOpener::make();
  const auto look = [&] { return DatagramSniffer().feed(*opener, as_byte_view(datagram)); };
  if (look().protocol != expected) state.SkipWithError("another answer");
  const std::uint64_t before = perf::so_far();
  for (auto _ : state) benchmark::DoNotOptimize(look());
  perf::expect_none(state, before);
}

void quic_initial(benchmark::State& state) {
  look_at_datagram(state, first_datagram("quic-aioquic-v1"), Protocol::quic);
}
/// Both datagrams of a hello that a browser cut into twenty frames.
void quic_hello_of_two(benchmark::State& state) {
  const std::string bytes = capture("quic-chromium");
  auto opener = InitialOpener::make();
  const auto look = [&] {
    DatagramSniffer sniffer;
    Reader in{as_byte_view(bytes)};
    sniffer.feed(*opener, in.take(in.u16be()));
    return sniffer.feed(*opener, in.take(in.u16be()));
  };
  if (look().verdict != Verdict::found) state.SkipWithError("another answer");
  const std::uint64_t before = perf::so_far();
  for (auto _ : state) benchmark::DoNotOptimize(look());
  perf::expect_none(state, before);
}
void dtls_hello(benchmark::State& state) {
  look_at_datagram(state, first_datagram("dtls-openssl"), Protocol::dtls);
}
void stun_request(benchmark::State& state) {
  look_at_datagram(state, first_datagram("stun-aioice"), Protocol::stun);
}
void another_datagram(benchmark::State& state) {
  look_at_datagram(state, std::string(1200, 'x'), Protocol::none);
}

void quic_keys_alone(benchmark::State& state) {
  const std::string_view dcid = "8 bytes.";
  for (auto _ : state)
    benchmark::DoNotOptimize(client_initial_keys(QuicVersion::v1, as_byte_view(dcid)));
}
void quic_cipher_alone(benchmark::State& state) {
  const std::array<std::byte, 16> key{};
  const std::array<std::byte, crypto::kNonceSize> nonce{};
  std::array<std::byte, 1200> bytes{};
  auto aead = crypto::Aead::make(crypto::AeadKind::aes_128_gcm, crypto::Aead::Direction::open, key);
  // A wrong tag costs what a right one costs; nothing looks at the result.
  for (auto _ : state)
    benchmark::DoNotOptimize(
        aead->open(nonce, ByteSpan(bytes).first(1150), ByteSpan(bytes).last(16)));
}

BENCHMARK(tls_hello);
BENCHMARK(tls_hello_in_records);
BENCHMARK(http1_request);
BENCHMARK(h2c_request);
BENCHMARK(another_protocol);
BENCHMARK(worst_hello);
BENCHMARK(worst_http1);
BENCHMARK(worst_h2c);
BENCHMARK(quic_initial);
BENCHMARK(quic_hello_of_two);
BENCHMARK(quic_keys_alone);
BENCHMARK(quic_cipher_alone);
BENCHMARK(dtls_hello);
BENCHMARK(stun_request);
BENCHMARK(another_datagram);

}  // namespace

BENCHMARK_MAIN();
