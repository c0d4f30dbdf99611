#include "dataplane/recovery/choices_file.h"

#include <algorithm>

#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/file.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kMagic = "SLCHOI02";
constexpr std::size_t kDigest = sizeof(contract::Digest);

void put_text(std::vector<std::byte>& out, std::string_view text) {
  out.push_back(static_cast<std::byte>(text.size() >> 8));
  out.push_back(static_cast<std::byte>(text.size()));
  const ByteView bytes = as_byte_view(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

Status save_choices(const std::string& dir, const Choices& choices) {
  std::vector<std::byte> bytes;
  std::ranges::copy(as_byte_view(kMagic), std::back_inserter(bytes));
  std::ranges::copy(choices.snapshot, std::back_inserter(bytes));
  for (const contract::GroupChoice& choice : choices.made) {
    put_text(bytes, choice.group);
    put_text(bytes, choice.member);
  }
  const contract::Digest check = contract::digest_of(bytes);
  return replace_file(dir + "/choices", {bytes, check});
}

Result<Choices> decode_choices(ByteView file) {
  if (file.size() < kMagic.size() + 2 * kDigest) return fail(Errc::malformed);
  const ByteView checked = file.first(file.size() - kDigest);
  if (!std::ranges::equal(file.last(kDigest), contract::digest_of(checked)))
    return fail(Errc::malformed);
  Reader in{checked};
  if (as_text(in.take(kMagic.size())) != kMagic) return fail(Errc::malformed);
  Choices out;
  std::ranges::copy(in.take(kDigest), out.snapshot.begin());
  while (in.left() != 0) {
    contract::GroupChoice choice;
    choice.group = std::string(as_text(in.take(in.u16be())));
    choice.member = std::string(as_text(in.take(in.u16be())));
    if (in.short_read() || out.made.size() >= kMaxChoices) return fail(Errc::malformed);
    out.made.push_back(std::move(choice));
  }
  return out;
}

}  // namespace sluice::recovery
