#include "dataplane/protocol/shadowsocks/record.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/empty_pool.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::shadowsocks {
namespace {

using test::Bytes;

const std::map<std::string, crypto::AeadKind> kMethods{
    {"aes-128-gcm", crypto::AeadKind::aes_128_gcm},
    {"aes-256-gcm", crypto::AeadKind::aes_256_gcm},
    {"chacha20-ietf-poly1305", crypto::AeadKind::chacha20_poly1305}};

class RecordTest : public test::EndFixture, public ::testing::WithParamInterface<std::string> {
 protected:
  Bytes bytes(const std::string& name) const { return known.bytes(method() + "." + name); }
  virtual std::string method() const { return GetParam(); }
  Key key() const { return *Key::make(kMethods.at(method()), known.text("password")); }

  /// `text` as records of at most `size` bytes behind a salt.
  std::string seal(const Key& with, ByteView salt, std::string_view text, std::size_t size) {
    auto sealer = Sealer::make(with, salt);
    EXPECT_TRUE(sealer);
    std::string out;
    while (!text.empty()) {
      auto slice = Slice::make(pool, sealer->head());
      EXPECT_TRUE(slice);
      const std::size_t part = std::min({text.size(), size, slice->tailroom() - kRecordTail});
      slice->append(as_byte_view(text.substr(0, part)));
      EXPECT_TRUE(sealer->seal(*slice));
      out += as_text(slice->data());
      text.remove_prefix(part);
    }
    return out;
  }
  /// Opens `wire` given in slices of at most `piece` bytes, all at once or one by one.
  Status open(Opener& opener, std::string_view wire, std::size_t piece, bool at_once,
              std::string& text) {
    SliceQueue in;
    SliceQueue plain;
    Status status;
    while (!wire.empty() && status) {
      auto slice = Slice::make(pool, 0);
      EXPECT_TRUE(slice);
      const std::size_t size = slice->append(as_byte_view(wire.substr(0, piece)));
      wire.remove_prefix(size);
      in.push_back(std::move(*slice));
      if (!at_once) status = opener.open(in, plain);
    }
    if (at_once) status = opener.open(in, plain);
    text += test::text_of(plain);
    return status;
  }
  test::Vectors known{"shadowsocks.txt"};
};

TEST_P(RecordTest, KeysMatchKnownAnswers) {
  const Key master = key();
  Bytes subkey(master.salt_size());
  ASSERT_TRUE(master.subkey(bytes("salt"), subkey));
  EXPECT_EQ(subkey, bytes("subkey"));
}

TEST_P(RecordTest, SealsAsKnown) {
  const Bytes first = bytes("client_first_chunk_plaintext");
  EXPECT_EQ(seal(key(), bytes("salt"), as_text(first), kMaxPayload),
            test::text_of(bytes("client_stream")));
  const Bytes answer = bytes("server_plaintext");
  EXPECT_EQ(seal(key(), bytes("server_salt"), as_text(answer), kMaxPayload),
            test::text_of(bytes("server_stream")));
}

TEST_P(RecordTest, OpensKnownStreamsAndEveryPrefixGivesNothing) {
  const Key master = key();
  const std::string wire = test::text_of(bytes("server_stream"));
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    Opener opener(master, pool);
    std::string text;
    ASSERT_TRUE(open(opener, std::string_view(wire).substr(0, cut), 7, true, text)) << cut;
    EXPECT_EQ(text, cut == wire.size() ? test::text_of(bytes("server_plaintext")) : "") << cut;
  }
}

TEST_P(RecordTest, AnyFlippedBitBreaksTheStream) {
  const Key master = key();
  const std::string wire = test::text_of(bytes("server_stream"));
  const std::size_t salt = master.salt_size();
  for (std::size_t at = 0; at < wire.size(); ++at) {
    Opener opener(master, pool);
    std::string copy = wire;
    copy[at] = static_cast<char>(copy[at] ^ 0x10);
    std::string text;
    EXPECT_EQ(open(opener, copy, 1000, true, text).error().code, Errc::bad_tag) << at;
    EXPECT_EQ(text, "") << at << ' ' << salt;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RecordTest,
                         ::testing::Values("aes-128-gcm", "aes-256-gcm", "chacha20-ietf-poly1305"));

class RecordShapes : public RecordTest {
 protected:
  std::string method() const override { return "aes-128-gcm"; }
  Bytes salt = test::from_hex("0102030405060708090a0b0c0d0e0f10");
};

// Every way that records can lie across slices: several in one, one over several, cut anywhere.
TEST_F(RecordShapes, SlicesOfAnySizeGiveTheSameBytes) {
  const Key master = key();
  const std::string text = test::pattern(60000);
  for (const std::size_t record : {1U, 100U, 4000U, 16000U}) {
    const std::string part = text.substr(0, std::min<std::size_t>(text.size(), 400 * record));
    const std::string wire = seal(master, salt, part, record);
    for (const std::size_t piece : {13U, 34U, 35U, 1000U, 15968U, 16352U}) {
      if (piece < 100 && wire.size() > 10000) continue;  // a block per piece would be too many
      for (const bool at_once : {true, false}) {
        Opener opener(master, pool);
        std::string got;
        ASSERT_TRUE(open(opener, wire, piece, at_once, got)) << record << ' ' << piece;
        ASSERT_EQ(got, part) << record << ' ' << piece << ' ' << at_once;
      }
    }
  }
  EXPECT_EQ(pool.used_count(), 0U);
}

TEST_F(RecordShapes, RecordThatFillsItsSliceIsOpenedInPlace) {
  const Key master = key();
  const std::string wire = seal(master, salt, test::pattern(5000), kMaxPayload);
  auto slice = Slice::make(pool, 0);
  ASSERT_TRUE(slice);
  slice->append(as_byte_view(wire));
  const std::byte* begin = slice->data().data();
  SliceQueue in;
  SliceQueue plain;
  in.push_back(std::move(*slice));
  Opener opener(master, pool);
  ASSERT_TRUE(opener.open(in, plain));
  EXPECT_EQ(plain.front().data(), begin + salt.size() + kLengthSize);
  EXPECT_EQ(pool.used_count(), 1U);
}

TEST_F(RecordShapes, GoodRecordsInFrontOfABadOneStillArrive) {
  const Key master = key();
  std::string wire = seal(master, salt, "firstsecond", 5);
  wire.back() = static_cast<char>(wire.back() ^ 1);
  Opener opener(master, pool);
  std::string got;
  EXPECT_EQ(open(opener, wire, 16000, true, got).error().code, Errc::bad_tag);
  EXPECT_EQ(got, "firstsecon");
}

/// One record whose length says `length`.
std::string with_length(const Key& master, ByteView salt, std::uint16_t length) {
  auto cipher = master.cipher(crypto::Aead::Direction::seal, salt);
  std::array<std::byte, 2> size{};
  Writer{size}.u16be(length);
  std::array<std::byte, crypto::kTagSize> tag{};
  const std::array<std::byte, crypto::kNonceSize> nonce{};
  EXPECT_TRUE(cipher->seal(nonce, size, tag));
  return test::text_of(salt) + test::text_of(size) + test::text_of(tag);
}

TEST_F(RecordShapes, LengthsOfZeroAndBeyondTheLimitAreMalformed) {
  const Key master = key();
  for (const std::uint16_t length : {0, 0x4000, 0xffff}) {
    Opener opener(master, pool);
    std::string got;
    EXPECT_EQ(open(opener, with_length(master, salt, length), 100, true, got).error().code,
              Errc::malformed);
  }
  Opener opener(master, pool);
  std::string got;
  EXPECT_TRUE(open(opener, with_length(master, salt, 0x3fff), 100, true, got));
}

TEST_F(RecordShapes, TwoChunksMatchTheKnownDigest) {
  const auto size = static_cast<std::size_t>(std::stoul(known.text("two_chunks.plaintext_len")));
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i & 255);
  // The first chunk is as large as the format allows, more than a block: sealed in two halves here.
  auto cipher = key().cipher(crypto::Aead::Direction::seal, known.bytes("two_chunks.salt"));
  ASSERT_TRUE(cipher);
  Nonce nonce;
  std::string wire = test::text_of(known.bytes("two_chunks.salt"));
  for (const auto part : {std::string_view(text).substr(0, kMaxPayload),
                          std::string_view(text).substr(kMaxPayload)}) {
    std::array<std::byte, 2> length{};
    Writer{length}.u16be(static_cast<std::uint16_t>(part.size()));
    std::array<std::byte, crypto::kTagSize> tag{};
    ASSERT_TRUE(cipher->seal(nonce.next(), length, tag));
    wire += test::text_of(length) + test::text_of(tag);
    Bytes payload(as_byte_view(part).begin(), as_byte_view(part).end());
    ASSERT_TRUE(cipher->seal(nonce.next(), payload, tag));
    wire += test::text_of(payload) + test::text_of(tag);
  }
  EXPECT_EQ(wire.size(), std::stoul(known.text("two_chunks.stream_len")));
  std::array<std::byte, 32> digest{};
  EVP_Digest(wire.data(), wire.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
             EVP_sha256(), nullptr);
  EXPECT_EQ(Bytes(digest.begin(), digest.end()), known.bytes("two_chunks.sha256_of_stream"));

  const Key master = key();
  Opener opener(master, pool);
  std::string got;
  ASSERT_TRUE(open(opener, wire, 15968, true, got));
  EXPECT_EQ(got, text);
}

TEST_F(RecordShapes, LackOfSlicesLosesNothing) {
  const Key master = key();
  const std::string text = test::pattern(40000);
  const std::string wire = seal(master, salt, text, 3000);
  bool whole = false;
  for (std::uint64_t blocks = 0; !whole; ++blocks) {
    ASSERT_LT(blocks, 30U);
    SliceQueue in = queue_of(wire);
    test::empty_pool(pool);
    budget.set_bound(budget.used() + blocks * kBlockBytes);
    Opener opener(master, pool);
    SliceQueue plain;
    const Status first = opener.open(in, plain);
    whole = first.has_value();
    EXPECT_EQ(whole ? Errc::no_room : first.error().code, Errc::no_room);
    budget.set_bound(1024 * kBlockBytes);
    ASSERT_TRUE(opener.open(in, plain));
    ASSERT_EQ(test::text_of(plain), text) << blocks;
  }
}

}  // namespace
}  // namespace sluice::shadowsocks
