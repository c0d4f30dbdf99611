#include "ui/cli/line_name.h"

#include "proto/common/text.h"

namespace sluice::cli {
namespace {

/// As the router shows numbers of lines: std::int32_t, -1 for none.
constexpr std::uint64_t kLargestNumber = 0x7fffffff;

}  // namespace

Result<LineName> parse_line_name(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  const Result<std::uint64_t> number = parse_number(text.substr(start), kLargestNumber);
  if (!number) return fail(Errc::malformed);
  LineName out;
  if (slash != std::string_view::npos) out.list = text.substr(0, slash);
  out.number = static_cast<std::uint32_t>(*number);
  return out;
}

std::string to_text(const LineName& name) {
  const std::string number = std::to_string(name.number);
  return name.list.empty() ? number : name.list + "/" + number;
}

}  // namespace sluice::cli
