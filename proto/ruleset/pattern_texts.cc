#include "proto/ruleset/pattern_texts.h"

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {

std::expected<PatternTexts, Invalid> PatternTexts::open(ByteView section, std::size_t offset) {
  const auto refuse = [offset](std::string_view why) {
    return std::unexpected(Invalid{why, offset});
  };
  PatternTexts out;
  SectionReader in(section);
  out.count_ = in.u32();
  const std::uint32_t pool_size = in.u32();
  if (out.count_ == 0 || out.count_ > kMaxPatterns) return refuse("patterns: impossible counts");
  out.entries_ = Words(in.array(out.count_, 8));
  out.pool_ = in.array(pool_size, 1);
  if (!in.complete()) return refuse("patterns: arrays do not fill the section");
  std::uint32_t backtracking = 0;
  for (std::uint32_t i = 0; i < out.count_; ++i) {
    const std::uint32_t at = out.entries_[2 * static_cast<std::size_t>(i)];
    const std::uint32_t size = out.entries_[2 * static_cast<std::size_t>(i) + 1] >> 8U;
    if (at > pool_size || size > pool_size - at) return refuse("patterns: a text outside the pool");
    if (size > kMaxPattern_bytes) return refuse("patterns: a text is too long");
    if (out.engine(i) == Engine::backtracking && ++backtracking > kMaxBacktracking)
      return refuse("patterns: too many that backtrack");
    if (out.engine(i) > Engine::backtracking) return refuse("patterns: an unknown engine");
  }
  return out;
}

}  // namespace sluice::ruleset
