// support/vectors.h - known answers: text files of `name value` lines in tests/golden/vectors.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "proto/common/cursor.h"

namespace sluice::test {

using Bytes = std::vector<std::byte>;

inline Bytes from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
  return out;
}

inline std::string text_of(ByteView bytes) {
  return std::string(as_text(bytes));
}

class Vectors {
 public:
  /// `file`: its name in tests/golden/vectors.
  explicit Vectors(const std::string& file) {
    std::ifstream in(std::string(SLUICE_GOLDEN) + "/vectors/" + file);
    EXPECT_TRUE(in.is_open()) << file;
    for (std::string line; std::getline(in, line);) {
      const std::size_t space = line.find(' ');
      if (line.starts_with('#') || space == std::string::npos) continue;
      values_[line.substr(0, space)] = line.substr(space + 1);
    }
  }
  [[nodiscard]] const std::string& text(const std::string& name) const {
    const auto found = values_.find(name);
    EXPECT_NE(found, values_.end()) << name;
    static const std::string none;
    return found == values_.end() ? none : found->second;
  }
  [[nodiscard]] Bytes bytes(const std::string& name) const { return from_hex(text(name)); }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace sluice::test
