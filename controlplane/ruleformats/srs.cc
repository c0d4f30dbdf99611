#include "controlplane/ruleformats/srs.h"

#include <vector>

#include "controlplane/ruleformats/headless_emit.h"
#include "controlplane/ruleformats/proto_fields.h"
#include "controlplane/ruleformats/srs_items.h"
#include "controlplane/ruleformats/unpack.h"

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kHead_bytes = 4;
constexpr std::uint8_t kNewestVersion = 4;
constexpr std::uint8_t kPlainRule = 0;
constexpr std::uint8_t kLogicalRule = 1;
constexpr std::uint8_t kFinalItem = 0xff;

/// The tree of a file. Every step checks for a short read before it trusts what it read.
class TreeReader {
 public:
  explicit TreeReader(ByteView plain) : in_(plain) {}

  Outcome<std::vector<HeadlessRule>> read() {
    std::vector<HeadlessRule> rules;
    if (read_rules(0, rules) && in_.left() > 0) stop(Errc::malformed, "has bytes after its rules");
    if (failure_.code != Errc::none) return std::unexpected(failure_);
    return rules;
  }

 private:
  /// Always false.
  bool stop(Errc code, std::string_view reason) {
    failure_ = {code, in_.short_read() ? 0 : in_.position(), reason};
    if (in_.short_read()) failure_ = {Errc::truncated, 0, "ends within its rules"};
    return false;
  }

  bool read_rules(unsigned depth, std::vector<HeadlessRule>& out) {
    std::uint64_t count = 0;
    const bool good = read_varint(in_, count);
    if (in_.short_read() || !good) return stop(Errc::malformed, "has a number that is too long");
    if (depth > kMaxDepth) return stop(Errc::too_large, "nests its rules too deep");
    for (; count > 0; --count) {
      if (++rule_count_ > kMaxHeadlessRules) return stop(Errc::too_large, "has too many rules");
      out.emplace_back();
      if (!read_rule(depth, out.back())) return false;
    }
    return true;
  }

  bool read_rule(unsigned depth, HeadlessRule& out) {
    const std::uint8_t type = in_.u8();
    if (in_.short_read() || type > kLogicalRule)
      return stop(Errc::malformed, "has a rule of no kind");
    if (type == kPlainRule ? !read_items(out) : !read_logical(depth, out)) return false;
    const std::uint8_t invert = in_.u8();
    if (in_.short_read() || invert > 1)
      return stop(Errc::malformed, "has a switch that is not 0 or 1");
    out.invert = invert == 1;
    return true;
  }

  bool read_logical(unsigned depth, HeadlessRule& out) {
    const std::uint8_t mode = in_.u8();
    if (in_.short_read() || mode > 1) return stop(Errc::malformed, "has a logical rule of no kind");
    out.logical = true;
    out.any = mode == 1;
    return read_rules(depth + 1, out.rules);
  }

  bool read_items(HeadlessRule& out) {
    for (;;) {
      const std::uint8_t type = in_.u8();
      if (in_.short_read()) return stop(Errc::truncated, {});
      if (type == kFinalItem) return true;
      if (++item_count_ > kMaxHeadlessRules) return stop(Errc::too_large, "has too many items");
      HeadlessItem item;
      const bool good = skip_srs_item(type, in_, item);
      if (in_.short_read() || !good) return stop(Errc::malformed, "has an item of no kind");
      out.items.push_back(item);
    }
  }

  Reader in_;
  std::uint32_t rule_count_ = 0;
  std::uint32_t item_count_ = 0;
  Refusal failure_;
};

}  // namespace

Outcome<Tally> read_srs(ByteView file, const Bounds& bounds, Entries& to) {
  if (file.size() > bounds.input_bytes)
    return refuse(Errc::too_large, bounds.input_bytes, "is larger than a rule file may be");
  Reader head(file);
  const ByteView magic = head.take(3);
  const std::uint8_t version = head.u8();
  if (head.short_read()) return refuse(Errc::truncated, 0, "ends within its head");
  if (as_text(magic) != "SRS") return refuse(Errc::malformed, 0, "is not a sing-box rule set");
  if (version == 0 || version > kNewestVersion)
    return refuse(Errc::unsupported, 3, "is of an unknown version");
  const auto plain = unpack_zlib(file.subspan(kHead_bytes), bounds.plain_bytes);
  if (!plain) return std::unexpected(plain.error());
  const auto rules = TreeReader(*plain).read();
  if (!rules) return std::unexpected(rules.error());
  Feed feed(to, bounds);
  emit_headless(*rules, SrsItems(), bounds, feed);
  return feed.finish();
}

}  // namespace sluice::ruleformats
