// ruleset/program_writer.h - writes conditions as programs, and the patterns that they name.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/condition.h"
#include "proto/ruleset/pattern_texts.h"
#include "proto/ruleset/programs.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {

class ProgramWriter {
 public:
  /// A set inside conditions; its number is the order of first use.
  struct SetUse {
    std::uint32_t set;
    Compared side;
    friend auto operator<=>(const SetUse&, const SetUse&) = default;
  };

  explicit ProgramWriter(std::uint32_t zone_count) : zone_count_(zone_count) {}

  /// Needs positions in ascending order and a simplified condition whose sets have only entries of
  /// indexes. Errors: too_large (kMaxProgram_nodes, kMaxPatterns, kMaxPattern_bytes), malformed
  /// (kMaxDepth, a pattern, a zone that does not exist).
  Status add(std::uint32_t position, const Condition& condition);

  [[nodiscard]] const std::vector<SetUse>& sets() const noexcept { return sets_; }
  /// Empty when nothing was added.
  [[nodiscard]] std::vector<std::byte> programs(std::uint32_t position_count) const;
  [[nodiscard]] std::vector<std::byte> patterns() const;

 private:
  struct Pattern {
    std::string text;
    Engine engine;
  };
  Status write(const Condition& condition, std::uint32_t depth);
  Status write_leaf(const Condition& condition);
  void put(const Condition& condition, std::uint8_t flags, std::uint32_t extra, std::uint32_t arg);
  void put_address(const Condition& condition);
  std::uint32_t pool(std::string_view bytes);
  Result<std::uint32_t> pattern(const std::string& text);

  std::uint32_t zone_count_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> roots_;
  std::vector<Node> nodes_;
  std::string pool_;
  std::unordered_map<std::string, std::uint32_t> pool_places_;
  std::vector<Pattern> patterns_;
  std::unordered_map<std::string, std::uint32_t> pattern_numbers_;
  std::vector<SetUse> sets_;
  std::map<SetUse, std::uint32_t> set_numbers_;
};

}  // namespace sluice::ruleset
