#include "ui/cli/convert/left_out.h"

#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

/// Of an entry; a rule may be a mebibyte long.
constexpr std::size_t kShownColumns = 80;
/// Of it, before it is made printable.
constexpr std::size_t kShownBytes = 4 * kShownColumns;

std::string place_text(const ruleformats::Place& place) {
  if (place.line == 0) return ": entry " + std::to_string(place.entry + 1);
  std::string out = ":" + std::to_string(place.line);
  if (place.column > 0) out += ":" + std::to_string(place.column);
  return out;
}

}  // namespace

void LeftOut::fault(const ruleformats::Fault& fault) {
  if (++count_ > kToldFaults) return;
  told_ += "  " + printable(file_name_) + place_text(fault.place) + ": ";
  if (!fault.text.empty())
    told_ += "`" + truncate(printable(fault.text.substr(0, kShownBytes)), kShownColumns) + "` ";
  told_ += std::string(fault.reason) + "\n";
}

std::string LeftOut::report() const {
  if (count_ == 0) return {};
  std::string out =
      count_ == 1 ? "1 entry is left out:\n" : std::to_string(count_) + " entries are left out:\n";
  out += told_;
  if (count_ > kToldFaults) out += "  … " + std::to_string(count_ - kToldFaults) + " more\n";
  return out;
}

}  // namespace sluice::cli
