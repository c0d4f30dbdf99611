#include "dataplane/helper/process_commands.h"

#include <gtest/gtest.h>

#include <array>

namespace sluice::proc {
namespace {

constexpr Question kQuestion{7, 48213, {50}};

template <class T, class Encode>
std::vector<std::byte> bytes_of(const T& value, Encode encode) {
  std::vector<std::byte> room(kMaxAnswer_bytes);
  Writer out{room};
  encode(value, out);
  EXPECT_FALSE(out.overflow());
  room.resize(out.size());
  return room;
}
std::vector<std::byte> wire_of(const Question& question) {
  return bytes_of(question, encode_question);
}
std::vector<std::byte> wire_of(const Answer& answer) {
  return bytes_of(answer, encode_answer);
}

TEST(ProcessQuestion, RoundTripsAndEveryPrefixIsTruncated) {
  const auto wire = wire_of(kQuestion);
  EXPECT_EQ(wire.size(), kQuestion_bytes);
  const auto question = decode_question(wire);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->id, 7U);
  EXPECT_EQ(question->inode, 48213U);
  EXPECT_EQ(question->budget, 50_ms);
  for (std::size_t cut = 0; cut < wire.size(); ++cut)
    EXPECT_EQ(decode_question(std::span(wire).first(cut)).error().code, Errc::truncated) << cut;
}

TEST(ProcessQuestion, NonsenseIsRefused) {
  auto wire = wire_of(kQuestion);
  wire.push_back({});
  EXPECT_EQ(decode_question(wire).error().code, Errc::malformed);
  wire = wire_of(kQuestion);
  wire[0] = std::byte{9};
  EXPECT_EQ(decode_question(wire).error().code, Errc::unsupported);
  wire = wire_of(kQuestion);
  wire[1] = std::byte{2};
  EXPECT_EQ(decode_question(wire).error().code, Errc::unsupported);
  EXPECT_EQ(decode_question(wire_of(Question{7, 0, {50}})).error().code, Errc::malformed);
  EXPECT_EQ(decode_question(wire_of(Question{7, 1, kMaxBudget + 1_ms})).error().code,
            Errc::malformed);
}

TEST(ProcessAnswer, RoundTripsAndEveryPrefixIsTruncated) {
  const Answer sent{7, 0, 4321, "/usr/bin/curl"};
  const auto wire = wire_of(sent);
  const auto answer = decode_answer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, 7U);
  EXPECT_EQ(answer->pid, 4321);
  EXPECT_EQ(answer->path, "/usr/bin/curl");
  for (std::size_t cut = 0; cut < wire.size(); ++cut)
    EXPECT_EQ(decode_answer(std::span(wire).first(cut)).error().code, Errc::truncated) << cut;
  EXPECT_TRUE(decode_answer(wire_of(Answer{7, ENOENT, 0, {}})));
}

TEST(ProcessAnswer, NonsenseIsRefused) {
  const std::array wrong{
      Answer{7, 0, 0, "/usr/bin/curl"},          // found nobody
      Answer{7, 0, 1, ""},                       // runs nothing
      Answer{7, 0, 1, "curl"},                   // from nowhere
      Answer{7, 0, 1, std::string("/a\0b", 4)},  // two texts in one
      Answer{7, ENOENT, 1, ""},                  // found and not found
      Answer{7, ENOENT, 0, "/usr/bin/curl"},
  };
  for (const Answer& answer : wrong)
    EXPECT_EQ(decode_answer(wire_of(answer)).error().code, Errc::malformed) << answer.path;
  std::vector<std::byte> room(2 * kMaxAnswer_bytes);
  Writer out{room};
  encode_answer({7, 0, 1, "/" + std::string(kMaxPath_bytes, 'a')}, out);
  EXPECT_EQ(decode_answer(out.written()).error().code, Errc::malformed);
}

}  // namespace
}  // namespace sluice::proc
