// TZif files put together from their parts, sound or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::zoneinfo {

struct TzifParts {
  struct Type {
    std::int32_t offset_s = 0;
    std::uint8_t daylight = 0;
    std::uint8_t name = 0;
  };
  char version = '2';  ///< '\0' = 1
  std::vector<Type> types = std::vector<Type>(1);
  std::vector<std::pair<std::int64_t, std::uint8_t>> changes;  ///< moment, type
  std::vector<std::pair<std::int64_t, std::int32_t>> leaps;    ///< moment, correction
  std::string names = std::string("LMT\0", 4);
  std::uint32_t isstd = 0, isut = 0;
  std::string footer = "\n\n";

  [[nodiscard]] std::string bytes() const {
    if (version == '\0') return part(4, *this);
    return part(4, TzifParts{.version = version, .names = std::string(1, '\0')}) + part(8, *this) +
           footer;
  }

 private:
  static void put(std::string& to, std::int64_t value, int size) {
    for (int i = size - 1; i >= 0; --i)
      to += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  static std::string part(int word, const TzifParts& from) {
    std::string out = "TZif";
    out += from.version;
    out.append(15, '\0');
    put(out, from.isut, 4);
    put(out, from.isstd, 4);
    put(out, static_cast<std::int64_t>(from.leaps.size()), 4);
    put(out, static_cast<std::int64_t>(from.changes.size()), 4);
    put(out, static_cast<std::int64_t>(from.types.size()), 4);
    put(out, static_cast<std::int64_t>(from.names.size()), 4);
    for (const auto& change : from.changes) put(out, change.first, word);
    for (const auto& change : from.changes) put(out, change.second, 1);
    for (const Type& type : from.types) {
      put(out, type.offset_s, 4);
      put(out, type.daylight, 1);
      put(out, type.name, 1);
    }
    out += from.names;
    for (const auto& [at, correction] : from.leaps) {
      put(out, at, word);
      put(out, correction, 4);
    }
    out.append(from.isstd + from.isut, '\0');
    return out;
  }
};

}  // namespace sluice::zoneinfo
