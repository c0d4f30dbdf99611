// ruleset/program_writer.h - writes conditions as programs, and the patterns that they name.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/bounds.h"
#include "proto/ruleset/condition.h"
#include "proto/ruleset/patterns.h"
#include "proto/ruleset/programs.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {

class ProgramWriter {
 public:
  /// Numbers a set that stands inside a condition.
  class SetNumbers {
   public:
    virtual std::uint32_t number_of(const Condition& set) = 0;

   protected:
    ~SetNumbers() = default;
  };

  /// `sets` must outlive the writer. Nodes and texts take at most `most_bytes` of the block: the
  /// whole is measured once it is written, and conditions that stand at thousands of positions must
  /// not have filled the memory by then.
  ProgramWriter(std::uint32_t zone_count, SetNumbers& sets,
                std::uint64_t most_bytes = kMaxBlock_bytes)
      : zone_count_(zone_count), sets_(sets), most_bytes_(most_bytes) {}

  /// Needs refs in ascending order and a simplified condition whose sets have been numbered.
  /// Errors: too_large (a bound of programs or patterns), malformed (kMaxDepth, a pattern, a zone
  /// that does not exist); then nothing was added.
  Status add(std::uint32_t ref, const Condition& condition);
  /// What a test costs by kMaxSteps: 0 unless it is a wildcard or a regular expression. Errors:
  /// malformed, too_large.
  Result<std::uint32_t> steps_of(const Condition& leaf);

  /// Empty when nothing was added.
  [[nodiscard]] std::vector<std::byte> programs(std::uint32_t ref_count) const;
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
  Result<PatternCost> cost_of(const std::string& text);

  std::uint32_t zone_count_;
  SetNumbers& sets_;
  std::uint64_t most_bytes_;
  std::vector<std::uint32_t> refs_;
  std::vector<std::uint32_t> roots_;
  std::vector<Node> nodes_;
  std::string pool_;
  std::unordered_map<std::string, std::uint32_t> pool_places_;
  std::vector<Pattern> patterns_;
  std::unordered_map<std::string, std::uint32_t> pattern_numbers_;
  std::unordered_map<std::string, PatternCost> costs_;
  std::uint64_t pattern_bytes_ = 0;
  std::uint32_t backtracking_ = 0;
};

}  // namespace sluice::ruleset
