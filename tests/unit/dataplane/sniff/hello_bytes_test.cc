#include "dataplane/sniff/hello_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace sluice::sniff {
namespace {

std::string prefix_of(const HelloBytes& bytes) {
  return std::string(as_text(bytes.prefix()));
}

TEST(HelloBytes, PrefixEndsAtTheFirstGap) {
  HelloBytes bytes;
  EXPECT_EQ(prefix_of(bytes), "");
  bytes.add(3, as_byte_view("def"));
  EXPECT_EQ(prefix_of(bytes), "");
  bytes.add(0, as_byte_view("ab"));
  EXPECT_EQ(prefix_of(bytes), "ab");
  bytes.add(1, as_byte_view("Bc"));
  EXPECT_EQ(prefix_of(bytes), "aBcdef");
  bytes.add(2, {});
  EXPECT_EQ(prefix_of(bytes), "aBcdef");
  bytes.clear();
  EXPECT_EQ(prefix_of(bytes), "");
}

TEST(HelloBytes, PartsInAnyOrderGiveTheWhole) {
  std::string whole(kMaxHello, '\0');
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<char>(i * 7);
  std::mt19937 random(1);
  for (const std::size_t part : {1U, 63U, 64U, 65U, 1000U}) {
    std::vector<std::size_t> offsets;
    for (std::size_t at = 0; at < whole.size(); at += part) offsets.push_back(at);
    std::shuffle(offsets.begin(), offsets.end(), random);
    HelloBytes bytes;
    for (const std::size_t at : offsets) {
      EXPECT_FALSE(bytes.full());
      bytes.add(at, as_byte_view(std::string_view(whole).substr(at, part)));
    }
    EXPECT_TRUE(bytes.full());
    EXPECT_EQ(prefix_of(bytes), whole) << part;
  }
}

TEST(HelloBytes, WhatLiesPastTheBoundIsDropped) {
  HelloBytes bytes;
  bytes.add(kMaxHello, as_byte_view("x"));
  bytes.add(UINT64_MAX, as_byte_view("x"));
  bytes.add(0, as_byte_view(std::string(kMaxHello - 1, 'x')));
  EXPECT_FALSE(bytes.full());
  bytes.add(kMaxHello - 1, as_byte_view("yz"));
  EXPECT_TRUE(bytes.full());
  EXPECT_EQ(prefix_of(bytes).back(), 'y');
}

}  // namespace
}  // namespace sluice::sniff
