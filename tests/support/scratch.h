// A directory of its own for one test, removed with everything in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sluice::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = ::testing::TempDir() + "sluice.XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name = {}) const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  std::string put(const std::string& name, const std::string& text, mode_t mode = 0644) const {
    std::ofstream(path(name), std::ios::binary) << text;
    EXPECT_EQ(::chmod(path(name).c_str(), mode), 0);
    return path(name);
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }
  /// Names in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  [[nodiscard]] std::size_t count() const { return names().size(); }

 private:
  std::string path_;
};

}  // namespace sluice::test
