// convert/left_out.h - the entries that could not be converted: how many, and the first of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "controlplane/ruleformats/entries.h"

namespace sluice::cli {

/// Of how many entries the place and the reason are told.
inline constexpr std::uint64_t kToldFaults = 10;

class LeftOut final : public ruleformats::Faults {
 public:
  /// Places are told as in "ads.txt:12:3".
  explicit LeftOut(std::string file_name) : file_name_(std::move(file_name)) {}

  void fault(const ruleformats::Fault& fault) override;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// "12 entries are left out:", a line for each of the first kToldFaults and "… 2 more"; empty
  /// when there is none.
  [[nodiscard]] std::string report() const;

 private:
  std::string file_name_;
  std::uint64_t count_ = 0;
  std::string told_;
};

}  // namespace sluice::cli
