#include "controlplane/ruleformats/yaml_list.h"

#include <optional>
#include <string>

#include "controlplane/ruleformats/item.h"
#include "controlplane/ruleformats/lines.h"
#include "controlplane/ruleformats/yaml_scalar.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

/// What follows `payload:` or `rules:` at the start of a line; nothing for any other line.
std::optional<std::string_view> after_key(std::string_view line) {
  for (const std::string_view key :
       {"payload", "\"payload\"", "'payload'", "rules", "\"rules\"", "'rules'"}) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trim(line.substr(key.size()));
    if (!rest.starts_with(':')) continue;
    if (rest.size() > 1 && rest[1] != ' ' && rest[1] != '\t') continue;
    return rest.substr(1);
  }
  return std::nullopt;
}

bool is_comment(std::string_view text) {
  return text.empty() || text.starts_with('#');
}

class YamlList {
 public:
  YamlList(std::string_view text, Behavior behavior, Feed& feed)
      : lines_(text), behavior_(behavior), feed_(feed) {}

  /// False when the file has content but not the key.
  bool read() {
    bool content = false;
    bool found = false;
    while (!feed_.full() && lines_.next()) {
      const std::string_view line = lines_.text();
      const std::string_view text = trim(line);
      if (is_comment(text) || text == "---" || text == "...") continue;
      const bool indented = line[0] == ' ' || line[0] == '\t';
      const bool item = text[0] == '-' && (text.size() == 1 || text[1] == ' ' || text[1] == '\t');
      if (in_list_ && item) {
        read_item(text);
      } else if (in_list_ && indented) {
        stray(text);
      } else {
        content = true;
        const std::optional<std::string_view> value = after_key(line);
        in_list_ = value.has_value();
        found = found || in_list_;
        if (value) read_value(trim(*value));
      }
    }
    return found || !content;
  }

 private:
  [[nodiscard]] Place place(std::string_view text) const {
    const auto column = static_cast<std::uint32_t>(text.data() - lines_.text().data()) + 1;
    return {feed_.next_entry(), lines_.number(), column};
  }

  void read_item(std::string_view text) {
    const std::string_view entry = trim(text.substr(1));
    if (is_comment(entry)) {
      feed_.fault(place(text), text, "is empty");
      return;
    }
    take(entry, YamlContext::block);
  }

  /// One scalar; what is left of the line behind it.
  std::string_view take(std::string_view text, YamlContext context) {
    const YamlScalar scalar = read_yaml_scalar(text, context, scratch_);
    const std::string_view rest = trim(text.substr(scalar.size));
    if (!scalar.reason.empty()) {
      feed_.fault(place(text), text, scalar.reason);
    } else if (context == YamlContext::block && !is_comment(rest)) {
      feed_.fault(place(text), text, "has text after its closing quote");
    } else {
      feed_item(behavior_, scalar.value, place(text), feed_);
    }
    return rest;
  }

  void stray(std::string_view text) {
    feed_.fault(place(text), text, "is not a list entry; each takes one line that starts with `-`");
  }

  void read_value(std::string_view value) {
    if (value.starts_with('[')) {
      read_flow(value.substr(1));
      in_list_ = false;
    } else if (!is_comment(value) && value != "~" && value != "null") {
      stray(value);
    }
  }

  /// A flow list: entries with commas between them, up to `]`, over as many lines as it takes.
  void read_flow(std::string_view rest) {
    while (!feed_.full()) {
      rest = trim(rest);
      if (is_comment(rest)) {
        if (!lines_.next()) {
          feed_.fault(place(lines_.text()), {}, "ends before the `]` of its list");
          return;
        }
        rest = lines_.text();
      } else if (rest.starts_with(',')) {
        rest.remove_prefix(1);
      } else if (rest.starts_with(']')) {
        return;
      } else {
        rest = take(rest, YamlContext::flow);
        if (!is_comment(rest) && !rest.starts_with(',') && !rest.starts_with(']')) {
          stray(rest);
          return;
        }
      }
    }
  }

  Lines lines_;
  Behavior behavior_;
  Feed& feed_;
  std::string scratch_;
  bool in_list_ = false;
};

}  // namespace

Outcome<Tally> read_yaml_list(ByteView file, Behavior behavior, const Bounds& bounds, Entries& to) {
  const auto text = open_text(file, bounds);
  if (!text) return std::unexpected(text.error());
  Feed feed(to, bounds);
  if (!YamlList(*text, behavior, feed).read()) return refuse(Errc::malformed, 0, kNoPayload);
  return feed.finish();
}

}  // namespace sluice::ruleformats
