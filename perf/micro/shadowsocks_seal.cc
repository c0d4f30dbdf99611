// Shadowsocks records against the cipher alone: the same sizes, nonces and tags, no slices.
//
// 15968 bytes are what one full read leaves in a slice; a record adds 34 bytes and two seals.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "dataplane/protocol/shadowsocks/record.h"

namespace {

using namespace sluice;
using namespace sluice::shadowsocks;

constexpr std::size_t kPayload = kBlockRoom - kHeadroom - kTailroom;

crypto::AeadKind kind_of(const benchmark::State& state) {
  return static_cast<crypto::AeadKind>(state.range(0));
}

Key make_key(const benchmark::State& state) {
  return *Key::make(kind_of(state), "benchmark");
}

std::vector<std::byte> make_salt(const Key& key) {
  return std::vector<std::byte>(key.salt_size(), std::byte{7});
}

void cipher_alone(benchmark::State& state, crypto::Aead::Direction direction) {
  const std::array<std::byte, crypto::kMaxKeySize> key{};
  auto cipher = crypto::Aead::make(kind_of(state), crypto::Aead::Direction::seal,
                                   ByteView(key).first(crypto::key_size(kind_of(state))));
  auto opener = crypto::Aead::make(kind_of(state), crypto::Aead::Direction::open,
                                   ByteView(key).first(crypto::key_size(kind_of(state))));
  std::vector<std::byte> payload(kPayload);
  std::array<std::byte, 2> length{};
  std::array<std::byte, crypto::kTagSize> tag{};
  Nonce nonce;
  for (auto _ : state) {
    if (direction == crypto::Aead::Direction::seal) {
      benchmark::DoNotOptimize(cipher->seal(nonce.next(), length, tag));
      benchmark::DoNotOptimize(cipher->seal(nonce.next(), payload, tag));
    } else {
      // A wrong tag costs what a right one costs; nothing looks at the result.
      benchmark::DoNotOptimize(opener->open(nonce.next(), length, tag));
      benchmark::DoNotOptimize(opener->open(nonce.next(), payload, tag));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kPayload));
}

void seal_cipher_alone(benchmark::State& state) {
  cipher_alone(state, crypto::Aead::Direction::seal);
}
void open_cipher_alone(benchmark::State& state) {
  cipher_alone(state, crypto::Aead::Direction::open);
}

void seal_record(benchmark::State& state) {
  MemoryBudget budget{64 * kBlockBytes};
  SlicePool pool{budget};
  const Key key = make_key(state);
  auto sealer = Sealer::make(key, make_salt(key));
  for (auto _ : state) {
    auto slice = Slice::make(pool);
    slice->grow(kPayload);
    benchmark::DoNotOptimize(sealer->seal(*slice));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kPayload));
}

/// A stream of full records, cut as reads cut it: every slice holds parts of two records. Copying
/// the wire into slices stands in for the read and is not measured.
void open_records(benchmark::State& state) {
  constexpr std::size_t kRecords = 64;
  MemoryBudget budget{512 * kBlockBytes};
  SlicePool pool{budget};
  const Key key = make_key(state);
  const std::vector<std::byte> salt = make_salt(key);
  auto sealer = Sealer::make(key, salt);
  std::vector<std::byte> wire;
  for (std::size_t i = 0; i < kRecords; ++i) {
    auto slice = Slice::make(pool);
    slice->grow(kPayload);
    benchmark::DoNotOptimize(sealer->seal(*slice));
    wire.insert(wire.end(), slice->data().begin(), slice->data().end());
  }
  for (auto _ : state) {
    state.PauseTiming();
    Opener opener(key, pool);
    SliceQueue in;
    SliceQueue plain;
    benchmark::DoNotOptimize(in.copy_in(pool, wire));
    state.ResumeTiming();
    benchmark::DoNotOptimize(opener.open(in, plain));
    state.PauseTiming();
    plain.clear();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kRecords * kPayload));
}

// 0 aes-128-gcm, 1 aes-256-gcm, 2 chacha20-poly1305
BENCHMARK(seal_cipher_alone)->DenseRange(0, 2);
BENCHMARK(seal_record)->DenseRange(0, 2);
BENCHMARK(open_cipher_alone)->DenseRange(0, 2);
BENCHMARK(open_records)->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
