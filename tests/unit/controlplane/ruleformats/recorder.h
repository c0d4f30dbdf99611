// A sink that writes down what it is given, one short line each, and small helpers around it.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/ruleformats/feed.h"

namespace sluice::ruleformats {

using Strings = std::vector<std::string>;

class Recorder final : public Entries {
 public:
  void name(const NameEntry& entry) override {
    static constexpr const char* kKinds[] = {"exact", "suffix",  "below",
                                             "glob",  "keyword", "regex"};
    static constexpr const char* kWeights[] = {"", "@@", "!", "@@!"};
    entries.push_back(kWeights[static_cast<int>(entry.weight)] +
                      std::string(kKinds[static_cast<int>(entry.kind)]) +
                      (entry.wild ? "* " : " ") + std::string(entry.text));
    places.push_back(entry.place);
  }
  void prefix(const Prefix& prefix, const Place& place) override {
    entries.push_back(prefix.to_string());
    places.push_back(place);
  }
  void line(std::string_view rule, const Place& place) override {
    entries.emplace_back(rule);
    places.push_back(place);
  }
  void fault(const Fault& fault) override {
    faults.push_back(std::to_string(fault.place.line) + ":" + std::to_string(fault.place.column) +
                     ": " + std::string(fault.text) + " " + std::string(fault.reason));
  }
  [[nodiscard]] Strings sorted() const {
    Strings out = entries;
    std::ranges::sort(out);
    return out;
  }

  Strings entries;
  std::vector<Place> places;
  Strings faults;
};

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const ByteView view = as_byte_view(text);
  return {view.begin(), view.end()};
}

/// Big-endian numbers and texts, one after the other, for files put together by hand.
class Bytes {
 public:
  Bytes& text(std::string_view value) {
    out_.append(value);
    return *this;
  }
  Bytes& u8(unsigned value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  Bytes& u64(std::uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) u8(static_cast<unsigned>(value >> shift) & 0xffU);
    return *this;
  }
  [[nodiscard]] const std::string& str() const { return out_; }
  [[nodiscard]] ByteView view() const { return as_byte_view(out_); }

 private:
  std::string out_;
};

/// A file of tests/golden; empty when it is not there.
inline std::string golden_file(const std::string& path) {
  std::ifstream in(std::string(SLUICE_GOLDEN_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline std::string golden(const std::string& name) {
  return golden_file("ruleformats/" + name);
}

}  // namespace sluice::ruleformats
