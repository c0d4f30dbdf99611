#include "proto/common/log.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

int evaluated = 0;
const char* costly() {
  ++evaluated;
  return "x";
}

TEST(Log, DisabledLineEvaluatesNothing) {
  set_log_level(LogLevel::error);
  evaluated = 0;
  SLUICE_LOG(info, "test", "%s", costly());
  EXPECT_EQ(evaluated, 0);
  set_log_level(LogLevel::info);
}

TEST(Log, TapSeesLinesBelowTheSinksLevelOnOneLine) {
  std::vector<std::string> lines;
  set_log_level(LogLevel::error);
  set_log_tap(
      [](void* context, LogLevel, std::string_view component, std::string_view text, std::int64_t) {
        static_cast<std::vector<std::string>*>(context)->push_back(std::string(component) + ":" +
                                                                   std::string(text));
      },
      &lines, LogLevel::debug);
  SLUICE_LOG(debug, "test", "a%sb", "\n\x01");
  set_log_tap(nullptr, nullptr, LogLevel::silent);
  SLUICE_LOG(debug, "test", "gone");
  set_log_level(LogLevel::info);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "test:a  b");
}

TEST(Log, LevelsParseAsTheyPrint) {
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::silent}) {
    LogLevel back{};
    ASSERT_TRUE(parse_log_level(to_text(level), back));
    EXPECT_EQ(back, level);
  }
  LogLevel unused{};
  EXPECT_FALSE(parse_log_level("loud", unused));
}

}  // namespace
}  // namespace sluice
