// model/diagnostic.h - one thing the user should know about a configuration, and where it stands.
//
//   config.yaml:12:5: proxies[3].server: is a list; write one name or address
//   |-- file --|line|col|-- path ------|-- problem --|-- remedy -------------|
//
// Positions count from 1; columns count characters (code points). Never holds a secret's value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::model {

enum class Severity : std::uint8_t { warning, error };

/// Where a value was written. {0, 0}: the file as a whole.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// Where something stands: in the file and in the tree.
struct Place {
  Position at;
  std::string path;  ///< "mixed-port", "listeners[2].port"
};

/// A position inside a value that is compared: equal to every other one, so that what only moved
/// within the file has not changed.
struct Origin {
  Position at;
  friend constexpr bool operator==(const Origin&, const Origin&) noexcept { return true; }
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;        ///< the name given to load_config
  std::uint32_t line = 0;  ///< 0 = the file as a whole
  std::uint32_t column = 0;
  std::string path;     ///< "proxies[3].server"; empty for the file as a whole
  std::string problem;  ///< what is wrong
  std::string remedy;   ///< what to do

  /// "file:line:column: path: problem; remedy", without the parts that are empty.
  [[nodiscard]] std::string to_text() const;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

[[nodiscard]] bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept;

}  // namespace sluice::model
