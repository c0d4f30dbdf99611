// Rule lists that are text. The first byte picks the format and the behaviour. What is read as a
// list is written as text and as YAML and must come back as it was.
#include <cstdint>
#include <string>
#include <string_view>

#include "controlplane/ruleformats/line_writer.h"
#include "controlplane/ruleformats/rule_file.h"
#include "tests/fuzz/rule_entries.h"

namespace {

using namespace sluice;
using namespace sluice::ruleformats;

constexpr Format kFormats[] = {Format::text, Format::yaml, Format::adguard, Format::hosts,
                               Format::json};

std::string as_list(Format format, Behavior behavior, std::string_view text, LineFormat to) {
  CheckedEntries faults;
  std::string out;
  LineWriter writer(to, behavior, out, faults);
  // Entries up to a limit are handed on before the file is refused, so the answer may be either.
  static_cast<void>(read_rule_file(format, behavior, as_byte_view(text), kFuzzBounds, writer));
  return out;
}

void round_trip(Format format, Behavior behavior, std::string_view text) {
  const std::string plain = as_list(format, behavior, text, LineFormat::text);
  require(as_list(Format::text, behavior, plain, LineFormat::text) == plain);
  const std::string yaml = as_list(format, behavior, text, LineFormat::yaml);
  require(as_list(Format::yaml, behavior, yaml, LineFormat::text) == plain);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Format format = kFormats[data[0] % std::size(kFormats)];
  const auto behavior = static_cast<Behavior>(data[0] / 8 % 3);
  CheckedEntries entries;
  entries.check(read_rule_file(format, behavior, as_byte_view(text), kFuzzBounds, entries));
  if (format == Format::text || format == Format::yaml) round_trip(format, behavior, text);
  return 0;
}
