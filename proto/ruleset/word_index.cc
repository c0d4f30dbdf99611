#include "proto/ruleset/word_index.h"

#include <algorithm>

#include "proto/ruleset/section_reader.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {

std::expected<WordIndex, Invalid> WordIndex::open(ByteView section, std::size_t offset,
                                                  std::uint32_t bound) {
  const auto refuse = [offset](std::string_view why) {
    return std::unexpected(Invalid{why, offset});
  };
  WordIndex out;
  SectionReader in(section);
  out.count_ = in.u32();
  const std::uint32_t list_words = in.u32();
  const std::uint32_t pool_size = in.u32();
  out.entries_ = Words(in.array(out.count_, 8));
  out.lists_ = in.words(list_words);
  out.pool_ = in.array(pool_size, 1);
  if (!in.complete() || out.count_ == 0)
    return refuse("word index: arrays do not fill the section");
  const auto lists = ListStarts::check(out.lists_, bound);
  if (!lists) return refuse("word index: a list is out of order");
  for (std::uint32_t i = 0; i < out.count_; ++i) {
    const std::uint32_t at = out.entries_[2 * static_cast<std::size_t>(i)];
    const std::uint32_t list = out.entries_[2 * static_cast<std::size_t>(i) + 1];
    if (at >= pool_size || std::to_integer<std::size_t>(out.pool_[at]) > pool_size - at - 1)
      return refuse("word index: a word outside the pool");
    if (i > 0 && out.text(i) <= out.text(i - 1)) return refuse("word index: words out of order");
    if (!lists->is_list(list)) return refuse("word index: a list out of bounds");
    out.first_ref_ = std::min(out.first_ref_, out.lists_[list + 1]);
  }
  return out;
}

std::uint32_t WordIndex::find(std::string_view word) const noexcept {
  std::uint32_t low = 0;
  std::uint32_t count = count_;
  while (count > 0) {
    const std::uint32_t half = count / 2;
    if (text(low + half) < word) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low < count_ && text(low) == word ? low : kNone;
}

}  // namespace sluice::ruleset
