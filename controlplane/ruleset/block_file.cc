#include "controlplane/ruleset/block_file.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "controlplane/ruleset/bounds.h"
#include "proto/common/hash.h"
#include "proto/ruleset/format.h"

namespace sluice::sets {
namespace {

constexpr std::string_view kMagic = "SLUICEBC";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHashed_bytes = 8 + 4 + 4 + 32 + 32 + 8;
constexpr std::size_t kHead_bytes = kHashed_bytes + 8;
constexpr auto kLastKind = static_cast<std::uint8_t>(compile::SetKind::asn);

/// Whether the bytes are what a builder of this version wrote. Not whether they mean something:
/// that is for the data plane, which believes nobody.
bool is_whole_block(ByteView block) noexcept {
  if (block.size() < ruleset::kHeader_bytes) return false;
  Reader in(block);
  if (as_text(in.take(ruleset::kMagic.size())) != ruleset::kMagic) return false;
  if (in.u16le() != ruleset::kFormatVersion) return false;
  return ruleset::load_u64(block.data() + ruleset::kChecksumOffset) == ruleset::checksum(block);
}

/// Over all but what the block's own checksum covers: that leaves out its header.
std::uint64_t hash_of(ByteView head, ByteView block, ByteView tail) noexcept {
  const ByteView block_head = block.first(std::min(block.size(), ruleset::kHeader_bytes));
  return hash_bytes(tail, hash_bytes(block_head, hash_bytes(head)));
}

void put_text(std::vector<std::byte>& out, std::string_view text) {
  const std::string_view cut = text.substr(0, kMaxProblemText_bytes);
  out.push_back(static_cast<std::byte>(cut.size() & 0xffU));
  out.push_back(static_cast<std::byte>(cut.size() >> 8U));
  const ByteView bytes = as_byte_view(cut);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::optional<std::string> take_text(Reader& in) {
  const std::uint16_t size = in.u16le();
  if (size > kMaxProblemText_bytes) return std::nullopt;
  return std::string(as_text(in.take(size)));
}

std::optional<std::vector<SetProblem>> take_problems(ByteView bytes, std::uint32_t count) {
  if (count > kMaxProblems) return std::nullopt;
  std::vector<SetProblem> out;
  Reader in(bytes);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t kind = in.u8();
    auto name = take_text(in);
    auto sentence = take_text(in);
    if (kind > kLastKind || !name || !sentence || in.short_read()) return std::nullopt;
    out.push_back(
        {{static_cast<compile::SetKind>(kind), std::move(*name)}, std::move(*sentence), true});
  }
  if (in.left() != 0) return std::nullopt;
  return out;
}

}  // namespace

BlockFrame frame_block(const contract::Digest& key, const contract::Digest& digest, ByteView block,
                       std::span<const SetProblem> problems) {
  BlockFrame out;
  std::uint32_t count = 0;
  for (const SetProblem& problem : problems) {
    if (!problem.of_content || count == kMaxProblems) continue;
    ++count;
    out.tail.push_back(static_cast<std::byte>(problem.set.kind));
    put_text(out.tail, problem.set.name);
    put_text(out.tail, problem.sentence);
  }
  out.head.resize(kHead_bytes);
  Writer head(out.head);
  head.text(kMagic);
  head.u32le(kVersion);
  head.u32le(count);
  head.bytes(key);
  head.bytes(digest);
  head.u64le(block.size());
  head.u64le(hash_of(head.written(), block, out.tail));
  return out;
}

std::optional<BlockFile> open_block_file(ByteView file, const contract::Digest& key) {
  if (file.size() < kHead_bytes) return std::nullopt;
  Reader in(file.first(kHead_bytes));
  if (as_text(in.take(kMagic.size())) != kMagic || in.u32le() != kVersion) return std::nullopt;
  const std::uint32_t count = in.u32le();
  if (!std::ranges::equal(in.take(key.size()), key)) return std::nullopt;
  BlockFile out;
  std::ranges::copy(in.take(out.digest.size()), out.digest.begin());
  const std::uint64_t size = in.u64le();
  const std::uint64_t hash = in.u64le();
  const ByteView rest = file.subspan(kHead_bytes);
  if (size > rest.size()) return std::nullopt;
  out.block = rest.first(static_cast<std::size_t>(size));
  const ByteView tail = rest.subspan(static_cast<std::size_t>(size));
  if (!is_whole_block(out.block) || hash != hash_of(file.first(kHashed_bytes), out.block, tail))
    return std::nullopt;
  auto problems = take_problems(tail, count);
  if (!problems) return std::nullopt;
  out.problems = std::move(*problems);
  return out;
}

}  // namespace sluice::sets
