// `rule-providers:`.
#include <algorithm>

#include "controlplane/model/bounds.h"
#include "controlplane/model/parse_rule.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

// Ten years in seconds. The field has values of a year and more, which mean "hardly ever".
constexpr std::uint64_t kLongestInterval_s = std::uint64_t{10} * 366 * 24 * 3600;

constexpr std::pair<std::string_view, ProviderKind> kKinds[] = {
    {"http", ProviderKind::http}, {"file", ProviderKind::file}, {"inline", ProviderKind::inline_}};
constexpr std::pair<std::string_view, RuleBehavior> kBehaviors[] = {
    {"domain", RuleBehavior::domain},
    {"ipcidr", RuleBehavior::ipcidr},
    {"classical", RuleBehavior::classical}};
constexpr std::pair<std::string_view, RuleFormat> kFormats[] = {
    {"yaml", RuleFormat::yaml},  {"text", RuleFormat::text}, {"mrs", RuleFormat::mrs},
    {"srs", RuleFormat::srs},    {"json", RuleFormat::json}, {"adguard", RuleFormat::adguard},
    {"hosts", RuleFormat::hosts}};
// Ends of file names that tell a format which is no text. Names of text files tell nothing: public
// lists in yaml end in .txt.
constexpr std::pair<std::string_view, RuleFormat> kEnds[] = {{".mrs", RuleFormat::mrs},
                                                             {".srs", RuleFormat::srs}};

class ProviderReader {
 public:
  ProviderReader(const Fields& entry, RuleProvider& out) : entry_(entry), out_(out) {}

  void read() {
    out_.path_place = entry_.has("path") ? entry_.place("path") : entry_.place();
    read_required("type", kKinds, out_.kind);
    read_required("behavior", kBehaviors, out_.behavior);
    if (out_.kind == ProviderKind::inline_) {
      refuse_or_ignore();
      read_payload();
      return;
    }
    entry_.choice("format", kFormats, out_.format);
    check_format();
    read_source();
    entry_.size("size-limit", out_.size_limit, 0);
    entry_.text("path-in-bundle", out_.path_in_bundle);
    ignore("payload", "only a provider of type inline has entries here");
  }

 private:
  template <class E, std::size_t N>
  void read_required(std::string_view key, const std::pair<std::string_view, E> (&rows)[N],
                     E& out) {
    if (!entry_.has(key))
      entry_.error(entry_.place(), "has no " + std::string(key),
                   "write " + std::string(key) + ": " + std::string(rows[0].first) + " or another");
    entry_.choice(key, rows, out);
  }

  void ignore(std::string_view key, std::string_view why) {
    if (entry_.has(key)) entry_.warning(entry_.place(key), why, "it is ignored: remove it");
  }

  void refuse_or_ignore() {
    for (const std::string_view key : {"url", "path", "interval", "proxy", "header", "size-limit"})
      ignore(key, "a provider of type inline loads nothing");
  }

  void check_format() {
    const bool names_only = out_.format == RuleFormat::adguard || out_.format == RuleFormat::hosts;
    const bool fits =
        names_only ? out_.behavior == RuleBehavior::domain
                   : out_.format != RuleFormat::mrs || out_.behavior != RuleBehavior::classical;
    if (fits) return;
    entry_.error(entry_.place("format"),
                 std::string(to_text(out_.format)) + " files hold no " +
                     std::string(to_text(out_.behavior)) + " rules",
                 names_only ? "write behavior: domain" : "write another format or behavior");
  }

  void read_source() {
    entry_.text("path", out_.path);
    if (out_.path.find('\0') != std::string::npos)
      entry_.error(entry_.place("path"), "holds a zero byte", "write a path");
    if (out_.kind == ProviderKind::http) {
      read_urls();
      read_interval();
      entry_.text("proxy", out_.proxy);
      read_headers();
    } else {
      if (out_.path.empty())
        entry_.error(entry_.place(), "has no path", "write path: with the file to read");
      for (const std::string_view key : {"url", "proxy", "header"})
        ignore(key, "a provider of type file downloads nothing");
      // Elsewhere the file is looked at again after this time; here it is watched.
    }
    if (!entry_.has("format")) check_end();
  }

  void read_urls() {
    for (const Value& v : entry_.texts("url")) {
      if (out_.urls.size() == kMaxMirrors) {
        entry_.error(v.place(), "more than " + std::to_string(kMaxMirrors) + " mirrors",
                     "keep the best ones");
        return;
      }
      const std::string_view url = trim(v.text());
      if (is_web_address(url)) {
        out_.urls.emplace_back(url);
      } else {
        entry_.error(v.place(), "is not a web address",
                     "write https:// or http:// before the host");
      }
    }
    if (!entry_.has("url")) entry_.error(entry_.place(), "has no url", "write url:");
  }

  void read_interval() {
    const auto v = entry_.scalar("interval");
    if (!v) return;
    const auto seconds = parse_integer(v->text());
    if (seconds && *seconds <= kLongestInterval_s) {
      out_.interval = Millis{static_cast<std::int64_t>(*seconds) * 1000};
    } else if (const auto span = parse_span(v->text())) {
      out_.interval = *span;
    } else {
      entry_.error(v->place(), quote(v->text()) + " is not a time",
                   "write seconds, or a number with s, m or h; 0 for never");
    }
  }

  void read_headers() {
    const auto map = entry_.map("header");
    if (!map) return;
    for (const Member& member : map->node().members) {
      HeaderField field{std::string(member.key), {}};
      for (const Value& v : map->texts(member.key)) field.values.emplace_back(v.text());
      const bool broken = std::ranges::any_of(field.values, [](const std::string& value) {
        return value.find_first_of("\r\n") != std::string::npos;
      });
      if (broken || field.name.find_first_of(": \t\r\n") != std::string::npos || field.name.empty())
        entry_.error({member.position(), join_path(map->path(), member.key)},
                     "no request can have such a field", "write it without line breaks");
      else
        out_.headers.push_back(std::move(field));
    }
  }

  /// The name says one format and the default is another: said, since the set would stay empty.
  void check_end() {
    const std::string_view name = !out_.urls.empty() ? out_.urls.front() : out_.path;
    const std::string_view file = name.substr(0, name.find_first_of("?#"));
    for (const auto& [end, format] : kEnds) {
      if (!file.ends_with(end) || format == out_.format) continue;
      entry_.warning(entry_.place(),
                     "has no format, so yaml is expected, and the file ends in " + std::string(end),
                     "write format: " + std::string(to_text(format)));
    }
  }

  // Entries of an inline set. One that is broken is left out, as one of a file would be.
  void read_payload() {
    if (!entry_.has("payload"))
      entry_.error(entry_.place(), "has no payload", "write payload: with a list of rules");
    for (const Value& v : entry_.texts("payload")) {
      const std::string_view text = trim(v.text());
      if (const auto fault = fault_of(text)) {
        entry_.warning(v.place(), quote(text) + ": " + fault->problem,
                       "the entry is skipped; " + fault->remedy);
        continue;
      }
      out_.payload.emplace_back(text);
    }
  }

  [[nodiscard]] std::optional<RuleFault> fault_of(std::string_view text) const {
    switch (out_.behavior) {
      case RuleBehavior::domain:
        if (to_ascii_pattern(text)) return std::nullopt;
        return RuleFault{"is not a name or pattern", "write for example +.example.com"};
      case RuleBehavior::ipcidr:
        if (Prefix::parse(text)) return std::nullopt;
        return RuleFault{"is not an address range", "write for example 10.0.0.0/8 or fd00::/8"};
      case RuleBehavior::classical:
        break;
    }
    auto parsed = parse_rule(text, RuleContext::rule_set);
    if (parsed) return std::nullopt;
    return std::move(parsed.error());
  }

  const Fields& entry_;
  RuleProvider& out_;
};

}  // namespace

bool is_web_address(std::string_view text) noexcept {
  for (const std::string_view scheme : {"https://", "http://"})
    if (text.size() > scheme.size() && iequals(text.substr(0, scheme.size()), scheme))
      return text[scheme.size()] != '/' && std::ranges::none_of(text, [](char c) {
               return static_cast<unsigned char>(c) <= 0x20;
             });
  return false;
}

void read_rule_providers(const Fields& top, std::vector<RuleProvider>& out) {
  const auto map = top.map("rule-providers");
  if (!map) return;
  for (const Member& member : map->node().members) {
    const std::string path = join_path(map->path(), member.key);
    if (!member.value->is_mapping()) {
      top.error({member.position(), path},
                "is " + std::string(shape_of(*member.value)) + ", a map is needed",
                "write type:, behavior: and url: or path: below it");
      continue;
    }
    Fields entry(*member.value, path, top.report());
    RuleProvider& provider = out.emplace_back();
    provider.name = member.key;
    provider.place = {member.position(), path};
    ProviderReader(entry, provider).read();
  }
}

}  // namespace sluice::model
