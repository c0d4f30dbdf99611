// A folder of its own for each test, and files in every state that a crash or a user leaves them
// in.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sluice::stats::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-stats-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Files whose names hold ".damaged-".
  [[nodiscard]] int damaged_count() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename().string().find(".damaged-") != std::string::npos) ++count;
    return count;
  }

 private:
  std::string folder_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
inline std::string random_bytes(std::size_t size) {
  std::string out(size, '\0');
  std::uint64_t state = 88172645463325252ULL;
  for (char& c : out) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    c = static_cast<char>(state);
  }
  return out;
}

/// Runs `body` as a user who owns nothing here; root may write read-only files.
template <class F>
void as_nobody(const std::string& folder, F&& body) {
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  if (root) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      (void)!::chown(entry.path().c_str(), kNobody, kNobody);
    (void)!::chown(folder.c_str(), kNobody, kNobody);
    (void)!::seteuid(kNobody);
  }
  body();
  if (root) (void)!::seteuid(0);
}

}  // namespace sluice::stats::test
