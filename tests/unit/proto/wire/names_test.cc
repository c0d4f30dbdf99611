#include "proto/wire/names.h"

#include <gtest/gtest.h>

#include "proto/wire/bounds.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::wire {
namespace {

using test::ip;

TEST(WireNames, QueriesAndAnswersRoundTrip) {
  v1::NamesDown down;
  encode(contract::NameQuery{9, "example.test", contract::NamePurpose::bootstrap, 2, false, true},
         down.add_queries());
  const auto queries = decode(down);
  ASSERT_TRUE(queries);
  EXPECT_EQ(queries->at(0).id, 9U);
  EXPECT_EQ(queries->at(0).name, "example.test");
  EXPECT_EQ(queries->at(0).purpose, contract::NamePurpose::bootstrap);
  EXPECT_EQ(queries->at(0).depth, 2);
  EXPECT_FALSE(queries->at(0).v4);
  EXPECT_TRUE(queries->at(0).v6);

  v1::NamesUp up;
  encode(contract::NameAnswer{9, {ip("192.0.2.1"), ip("2001:db8::1")}, 60, Errc::none},
         up.add_answers());
  encode(contract::NameAnswer{10, {}, 0, Errc::loop}, up.add_answers());
  const auto answers = decode(up);
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->at(0).addresses, (std::vector{ip("192.0.2.1"), ip("2001:db8::1")}));
  EXPECT_EQ(answers->at(0).ttl_s, 60U);
  EXPECT_EQ(answers->at(1).error, Errc::loop);
}

TEST(WireNames, AnAnswerWithoutAddressesSaysWhy) {
  v1::NamesUp up;
  encode(contract::NameAnswer{1, {}, 0, Errc::none}, up.add_answers());
  EXPECT_EQ(decode(up)->at(0).error, Errc::no_address);
  up.mutable_answers(0)->set_error(v1::NAME_ERROR_NONE);
  EXPECT_EQ(decode(up).error().place, "answers[0].addresses");
}

TEST(WireNames, HostileQueriesAndAnswersAreRefused) {
  v1::NamesDown down;
  v1::NameQuery* query = down.add_queries();
  query->set_purpose(v1::NAME_PURPOSE_RULE);
  EXPECT_EQ(decode(down).error().place, "queries[0].name");
  query->set_name("Upper.test");
  EXPECT_EQ(decode(down).error().place, "queries[0].name");
  query->set_name("upper.test");
  query->set_depth(256);
  EXPECT_EQ(decode(down).error().place, "queries[0].depth");

  v1::NamesUp up;
  v1::NameAnswer* answer = up.add_answers();
  answer->add_addresses("xyz");
  EXPECT_EQ(decode(up).error().place, "answers[0].addresses[0]");
  answer->clear_addresses();
  for (std::size_t i = 0; i <= kMaxAddresses; ++i) answer->add_addresses("abcd");
  EXPECT_EQ(decode(up).error().place, "answers[0].addresses");
}

contract::BindingBatch large_batch() {
  contract::BindingBatch batch;
  batch.number = 5;
  batch.replace = true;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    batch.add.push_back({IpAddress::v4(0xc6120000U + i),
                         "n" + std::to_string(i) + ".test",
                         i % 2 == 0,
                         {IpAddress::v4(i + 1)}});
  }
  for (std::uint32_t i = 0; i < 3000; ++i) batch.remove.push_back(IpAddress::v4(0xc6130000U + i));
  return batch;
}

TEST(WireBindings, ALargeBatchTravelsInPartsAndComesBackWhole) {
  const contract::BindingBatch in = large_batch();
  const auto parts = encode_parts(in);
  ASSERT_GT(parts.size(), 2U);
  BatchAssembly assembly;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LT(parts[i].ByteSizeLong(), kMaxMessage);
    const auto done = assembly.add(parts[i]);
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(*done, i + 1 == parts.size());
  }
  const contract::BindingBatch out = assembly.take();
  EXPECT_EQ(out.number, in.number);
  EXPECT_TRUE(out.replace);
  EXPECT_EQ(out.remove, in.remove);
  ASSERT_EQ(out.add.size(), in.add.size());
  for (std::size_t i = 0; i < in.add.size(); ++i) {
    EXPECT_EQ(out.add[i].address, in.add[i].address);
    EXPECT_EQ(out.add[i].name, in.add[i].name);
    EXPECT_EQ(out.add[i].fake, in.add[i].fake);
    EXPECT_EQ(out.add[i].last_good, in.add[i].last_good);
  }
}

TEST(WireBindings, LongNamesNeverMakeAPartTooLarge) {
  contract::BindingBatch batch;
  const std::string name = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                           std::string(63, 'c') + "." + std::string(61, 'd');
  for (std::uint32_t i = 0; i < 4096; ++i)
    batch.add.push_back({IpAddress::v4(i + 1), name, true,
                         std::vector<IpAddress>(kMaxLastGood, test::ip("2001:db8::1"))});
  for (const auto& part : encode_parts(batch)) EXPECT_LT(part.ByteSizeLong(), kMaxMessage);
}

TEST(WireBindings, AnEmptyBatchIsOnePart) {
  const auto parts = encode_parts(contract::BindingBatch{.number = 3, .replace = true});
  ASSERT_EQ(parts.size(), 1U);
  BatchAssembly assembly;
  EXPECT_TRUE(*assembly.add(parts[0]));
}

TEST(WireBindings, HostilePartsAreRefused) {
  v1::BindingPart first;
  first.set_number(1);
  first.set_more(true);
  v1::BindingPart other = first;
  other.set_number(2);
  BatchAssembly mixed;
  ASSERT_TRUE(mixed.add(first));
  EXPECT_EQ(mixed.add(other).error().place, "number");

  v1::BindingPart bad = first;
  bad.add_add()->set_address("abcd");
  EXPECT_EQ(BatchAssembly().add(bad).error().place, "add[0].name");
  bad.mutable_add(0)->set_name("a.test");
  bad.mutable_add(0)->set_address("abc");
  EXPECT_EQ(BatchAssembly().add(bad).error().place, "add[0].address");
  bad.mutable_add(0)->set_address("abcd");
  for (std::size_t i = 0; i <= kMaxLastGood; ++i) bad.mutable_add(0)->add_last_good("abcd");
  EXPECT_EQ(BatchAssembly().add(bad).error().place, "add[0].last_good");

  v1::BindingPart wide = first;
  for (std::size_t i = 0; i <= kMaxPartBindings; ++i) wide.add_remove("abcd");
  EXPECT_EQ(BatchAssembly().add(wide).error().place, "remove");
}

TEST(WireBindings, ABatchWithoutEndIsRefusedAtItsBound) {
  v1::BindingPart part;
  part.set_number(1);
  part.set_more(true);
  for (std::size_t i = 0; i < kMaxPartBindings; ++i) part.add_remove("abcd");
  BatchAssembly assembly;
  for (std::size_t held = 0; held < kMaxBatchBindings; held += kMaxPartBindings)
    ASSERT_TRUE(assembly.add(part)) << held;
  EXPECT_EQ(assembly.add(part).error().place, "remove");
}

}  // namespace
}  // namespace sluice::wire
