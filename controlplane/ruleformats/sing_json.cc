#include "controlplane/ruleformats/sing_json.h"

#include <string>
#include <vector>

#include "controlplane/ruleformats/headless_emit.h"
#include "controlplane/ruleformats/json_cursor.h"
#include "controlplane/ruleformats/lines.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::uint64_t kNewestVersion = 4;

struct NamedField {
  std::string_view name;
  HeadlessField field;
};
constexpr NamedField kFields[] = {
    {"domain", HeadlessField::exact},
    {"domain_suffix", HeadlessField::suffix},
    {"domain_keyword", HeadlessField::keyword},
    {"domain_regex", HeadlessField::regex},
    {"ip_cidr", HeadlessField::prefix},
    {"source_ip_cidr", HeadlessField::source_prefix},
    {"port", HeadlessField::port},
    {"port_range", HeadlessField::port_range},
    {"source_port", HeadlessField::source_port},
    {"source_port_range", HeadlessField::source_port_range},
    {"network", HeadlessField::network},
    {"process_name", HeadlessField::process_name},
    {"process_path", HeadlessField::process_path},
    {"process_path_regex", HeadlessField::process_path_regex},
};

HeadlessField field_of(std::string_view name) {
  for (const NamedField& known : kFields)
    if (known.name == name) return known.field;
  return HeadlessField::unknown;
}

class JsonItems final : public HeadlessSource {
 public:
  void read(const HeadlessItem& item, HeadlessTerms& to) const override {
    JsonCursor in(as_text(item.raw));
    if (in.peek() != '[') {
      read_value(item, in, to);
      return;
    }
    for (bool more = in.open('['); more && !to.done(); more = in.more(']'))
      read_value(item, in, to);
    if (in.failed()) to.bad(item.title, "is not JSON");
  }

 private:
  static void read_value(const HeadlessItem& item, JsonCursor& in, HeadlessTerms& to) {
    std::string scratch;
    const bool port = item.field == HeadlessField::port || item.field == HeadlessField::source_port;
    if (port) {
      const std::string_view text = in.skip();
      const auto number = parse_number(text, UINT16_MAX);
      if (number) {
        to.ports(static_cast<std::uint16_t>(*number), static_cast<std::uint16_t>(*number));
      } else {
        to.bad(text, "is not a port");
      }
    } else if (in.peek() == '"') {
      const std::string_view text = in.string(scratch);
      if (!in.failed()) read_headless_text(item.field, text, to);
    } else {
      to.bad(in.skip(), "is not a text");
    }
  }
};

class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : in_(text) {}

  Outcome<std::vector<HeadlessRule>> read() {
    std::vector<HeadlessRule> rules;
    std::string_view version;
    for (bool more = in_.open('{'); more; more = in_.more('}')) {
      const std::string_view key = in_.key(scratch_);
      if (key == "version") {
        version = in_.skip();
      } else if (key == "rules") {
        rules.clear();
        read_rules(0, rules);
      } else {
        in_.skip();
      }
    }
    if (reason_.empty() && (in_.failed() || !in_.at_end())) stop("is not JSON");
    if (!reason_.empty()) return refuse(code_, in_.position(), reason_);
    if (version.empty()) return refuse(Errc::malformed, 0, "is not a sing-box rule set");
    const auto number = parse_number(version, kNewestVersion);
    if (!number || *number == 0) return refuse(Errc::unsupported, 0, "is of an unknown version");
    return rules;
  }

 private:
  void stop(std::string_view reason, Errc code = Errc::malformed) {
    if (!reason_.empty()) return;
    reason_ = reason;
    code_ = code;
  }
  [[nodiscard]] bool going() const { return reason_.empty() && !in_.failed(); }

  void read_rules(unsigned depth, std::vector<HeadlessRule>& out) {
    if (depth > kMaxDepth) return stop("nests its rules too deep", Errc::too_large);
    for (bool more = in_.open('['); more && going(); more = in_.more(']')) {
      if (++rule_count_ > kMaxHeadlessRules) return stop("has too many rules", Errc::too_large);
      out.emplace_back();
      read_rule(depth, out.back());
    }
  }

  void read_rule(unsigned depth, HeadlessRule& out) {
    for (bool more = in_.open('{'); more && going(); more = in_.more('}')) {
      const std::string_view key = in_.key(scratch_);
      if (key == "type") {
        out.logical = in_.string(scratch_) == "logical";
      } else if (key == "mode") {
        const std::string_view mode = in_.string(scratch_);
        out.any = mode == "or";
        if (mode != "or" && mode != "and") stop("has a logical rule of no kind");
      } else if (key == "invert") {
        out.invert = in_.boolean();
      } else if (key == "rules") {
        read_rules(depth + 1, out.rules);
      } else {
        read_item(key, out);
      }
    }
  }

  void read_item(std::string_view key, HeadlessRule& out) {
    if (++item_count_ > kMaxHeadlessRules) return stop("has too many items", Errc::too_large);
    // A key without escapes is a view into the file; one with them dies with the next read.
    HeadlessItem item{field_of(key), {}, key.data() == scratch_.data() ? "an item" : key};
    item.raw = as_byte_view(in_.skip());
    out.items.push_back(item);
  }

  JsonCursor in_;
  std::string scratch_;
  std::uint32_t rule_count_ = 0;
  std::uint32_t item_count_ = 0;
  std::string_view reason_;
  Errc code_ = Errc::none;
};

}  // namespace

Outcome<Tally> read_sing_json(ByteView file, const Bounds& bounds, Entries& to) {
  const auto text = open_text(file, bounds);
  if (!text) return std::unexpected(text.error());
  const auto rules = TreeReader(*text).read();
  if (!rules) return std::unexpected(rules.error());
  Feed feed(to, bounds);
  emit_headless(*rules, JsonItems(), bounds, feed);
  return feed.finish();
}

}  // namespace sluice::ruleformats
