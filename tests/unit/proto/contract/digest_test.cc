#include "proto/contract/digest.h"

#include <gtest/gtest.h>

#include "proto/contract/blob.h"
#include "proto/contract/choice.h"

namespace sluice::contract {
namespace {

// FIPS 180-4 examples.
TEST(Digest, MatchesPublishedVectors) {
  EXPECT_EQ(to_text(digest_of({})),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_text(digest_of(as_byte_view("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, PiecesGiveTheSameAsTheWhole) {
  const std::string text(1000, 'x');
  for (const std::size_t cut : {0UZ, 1UZ, 64UZ, 999UZ, 1000UZ}) {
    DigestStream stream;
    stream.update(as_byte_view(text).first(cut));
    stream.update(as_byte_view(text).subspan(cut));
    EXPECT_EQ(stream.finish(), digest_of(as_byte_view(text))) << cut;
  }
}

TEST(Blob, IsNamedByItsBytesAndListedOnce) {
  const BlobPtr blob = make_blob({std::byte{'a'}, std::byte{'b'}, std::byte{'c'}});
  EXPECT_EQ(blob->digest, digest_of(as_byte_view("abc")));
  Manifest manifest;
  EXPECT_TRUE(blobs_of(manifest).empty());
  manifest.ruleset = blob->digest;
  EXPECT_EQ(blobs_of(manifest), std::vector<Digest>{blob->digest});
}

}  // namespace
}  // namespace sluice::contract
