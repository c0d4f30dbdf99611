// The naive walker. Nothing here is fast, and nothing here knows how proto/ruleset works.
#include "tests/support/rule_model.h"

namespace sluice::test {
namespace {

using Kind = Tree::Kind;

enum class Truth : std::uint8_t { no, unknown, yes };
struct Said {
  Truth truth = Truth::no;
  std::set<std::string> missing;
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Bit `i` of an address, 0 the first on the wire.
bool bit(const IpAddress& ip, unsigned i) {
  return ((std::to_integer<unsigned>(ip.bytes()[i / 8]) >> (7 - i % 8)) & 1U) != 0;
}

bool same_bits(const IpAddress& a, const IpAddress& b, unsigned length, bool from_the_end) {
  if (!b.valid() || a.family() != b.family()) return false;
  const auto width = static_cast<unsigned>(8 * a.bytes().size());
  for (unsigned i = 0; i < length; ++i) {
    const unsigned at = from_the_end ? width - 1 - i : i;
    if (bit(a, at) != bit(b, at)) return false;
  }
  return true;
}

/// By the language's own engine; remembered, since it takes microseconds.
bool regex_finds(const std::string& pattern, const std::string& text) {
  static std::map<std::pair<std::string, std::string>, bool> known;
  const auto [found, added] = known.try_emplace({pattern, text}, false);
  if (added)
    found->second =
        std::regex_search(text, std::regex(pattern, std::regex::ECMAScript | std::regex::icase));
  return found->second;
}

/// Wildcards by the definition: the star takes nothing, or one byte and goes on.
bool wild(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return wild(pattern.substr(1), text) || (!text.empty() && wild(pattern, text.substr(1)));
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         wild(pattern.substr(1), text.substr(1));
}

class Walker {
 public:
  Walker(const Model& model, ruleset::Key& key, bool may_resolve)
      : model_(model), key_(key), may_resolve_(may_resolve) {}

  Said say(const Tree& t, bool resolving = true, bool swapped = false) {
    switch (t.kind) {
      case Kind::all:
      case Kind::any:
        return branch(t, t.children, resolving, swapped);
      case Kind::negate: {
        Said out = say(t.children[0], resolving, swapped);
        if (out.truth != Truth::unknown)
          out.truth = out.truth == Truth::yes ? Truth::no : Truth::yes;
        return out;
      }
      case Kind::set: {
        Tree any;
        any.kind = Kind::any;
        return branch(any, model_.sets[t.first], t.resolve && !t.for_source, t.for_source);
      }
      case Kind::destination:
      case Kind::source:
      case Kind::destination_tail:
      case Kind::source_tail:
        return address(t, resolving, swapped);
      case Kind::uid:
        return owner(key_.owner.uid_known, "uid",
                     key_.owner.uid >= t.first && key_.owner.uid <= t.last);
      case Kind::process_name:
      case Kind::process_path:
      case Kind::process_wildcard:
      case Kind::process_regex:
        return owner(key_.owner.process_known, "process", process(t));
      case Kind::protocol:
        return owner(key_.protocol_known, "protocol", (t.first >> key_.protocol & 1U) != 0);
      default:
        return {plain(t, swapped) ? Truth::yes : Truth::no, {}};
    }
  }
  void resolved() { may_resolve_ = false; }

 private:
  Said branch(const Tree& t, const std::vector<Tree>& children, bool resolving, bool swapped) {
    const bool all = t.kind == Kind::all;
    Said out{all ? Truth::yes : Truth::no, {}};
    for (const Tree& child : children) {
      const Said one = say(child, resolving, swapped);
      if (one.truth == (all ? Truth::no : Truth::yes)) return {one.truth, {}};
      if (one.truth == Truth::unknown) {
        out.truth = Truth::unknown;
        out.missing.insert(one.missing.begin(), one.missing.end());
      }
    }
    return out;
  }

  Said address(const Tree& t, bool resolving, bool swapped) {
    const bool source = (t.kind == Kind::source || t.kind == Kind::source_tail) != swapped;
    const bool tail = t.kind == Kind::destination_tail || t.kind == Kind::source_tail;
    const IpAddress& ip = source ? key_.source : key_.destination;
    if (!source && !ip.valid() && may_resolve_ && t.resolve && resolving && !swapped)
      return {Truth::unknown, {"address"}};
    return {same_bits(t.address, ip, t.length, tail) ? Truth::yes : Truth::no, {}};
  }

  static Said owner(Known known, const char* what, bool holds) {
    if (known == Known::no) return {Truth::unknown, {what}};
    return {known == Known::yes && holds ? Truth::yes : Truth::no, {}};
  }

  [[nodiscard]] bool process(const Tree& t) const {
    const std::string path(key_.owner.process_path);
    const std::string name = split(path, '/').back();
    if (path.empty()) return false;
    switch (t.kind) {
      case Kind::process_name:
        return lower(name) == lower(t.text);
      case Kind::process_path:
        return lower(path) == lower(t.text);
      case Kind::process_wildcard:
        return wild(lower(t.text), lower(name));
      default:
        return regex_finds(t.text, path);
    }
  }

  [[nodiscard]] bool name(const Tree& t) const {
    const std::string name(key_.name);
    if (name.empty()) return false;
    const auto labels = split(name, '.');
    const auto wanted = split(t.text, '.');
    const bool ends = labels.size() >= wanted.size() &&
                      std::equal(wanted.rbegin(), wanted.rend(), labels.rbegin());
    const std::size_t more = labels.size() - std::min(labels.size(), wanted.size());
    switch (t.kind) {
      case Kind::domain:
        return ends && more == 0;
      case Kind::suffix:
        return ends;
      case Kind::below:
        return ends && more > 0;
      case Kind::child:
        return ends && more == 1;
      case Kind::labels: {
        if (labels.size() != wanted.size()) return false;
        for (std::size_t i = 0; i < labels.size(); ++i)
          if (wanted[i] != "*" && wanted[i] != labels[i]) return false;
        return true;
      }
      case Kind::keyword:
        return !t.text.empty() && name.find(lower(t.text)) != std::string::npos;
      case Kind::wildcard:
        return wild(lower(t.text), name);
      default:
        return regex_finds(t.text, name);
    }
  }

  /// Minutes since Sunday 00:00 local, by counting.
  [[nodiscard]] bool time(const ruleset::TimeWindow& w) const {
    const ruleset::Zone& zone = model_.zones[w.zone.index];
    std::int64_t offset = zone.first_offset_s;
    for (const auto& t : zone.transitions)
      if (t.at <= key_.utc_seconds) offset = t.offset_s;
    constexpr std::int64_t kWeek = 7 * 24 * 60;
    const std::int64_t local = key_.utc_seconds + offset + 4 * 86'400;  // Sunday is 0
    const std::int64_t minute = ((local - ((local % 60) + 60) % 60) / 60 % kWeek + kWeek) % kWeek;
    for (std::int64_t day = 0; day < 7; ++day) {
      if (((w.weekdays >> day) & 1U) == 0) continue;
      const std::int64_t begin = day * 1440 + w.first_minute;
      std::int64_t end = day * 1440 + w.last_minute;
      if (w.last_minute <= w.first_minute) end += 1440;
      if ((minute >= begin && minute < end) || (minute + kWeek >= begin && minute + kWeek < end))
        return true;
    }
    return false;
  }

  [[nodiscard]] bool plain(const Tree& t, bool swapped) const {
    const auto port = [&t](std::uint16_t value) {
      for (const auto& r : t.ports)
        if (r.first <= value && value <= r.last) return true;
      return false;
    };
    const bool nonempty = !t.text.empty();
    switch (t.kind) {
      case Kind::destination_port:
        return port(swapped ? key_.source_port : key_.destination_port);
      case Kind::source_port:
        return port(swapped ? key_.destination_port : key_.source_port);
      case Kind::in_port:
        return port(key_.in_port);
      case Kind::network:
        return static_cast<std::uint32_t>(key_.network) == t.first;
      case Kind::in_type:
        return std::count(t.types.begin(), t.types.end(), key_.in_type) > 0;
      case Kind::dscp:
        return t.first <= key_.dscp && key_.dscp <= t.last;
      case Kind::mac:
        return t.mac == key_.source_mac && t.mac != ruleset::MacAddress{};
      case Kind::user:
        return nonempty && t.text == key_.user;
      case Kind::inbound:
        return nonempty && t.text == key_.inbound_name;
      case Kind::rematch:
        return nonempty && t.text == key_.rematch_name;
      case Kind::time:
        return time(t.window);
      case Kind::always:
        return true;
      case Kind::never:
        return false;
      default:
        return name(t);
    }
  }

  const Model& model_;
  ruleset::Key& key_;
  bool may_resolve_;
};

/// One decision: what is known about the flow, and what it has asked for and met.
class Walk {
 public:
  Walk(const Model& model, ruleset::Key key, const Answers& answers)
      : model_(model),
        answers_(answers),
        key_(std::move(key)),
        walker_(model, key_, !key_.destination.valid() && !key_.name.empty()) {}
  Walk(const Walk&) = delete;

  Decision run() {
    for (std::optional<Aim> next = Aim{Target::again, 0, std::string(key_.rematch_name)}; next;) {
      name_ = next->rematch_name;
      key_.rematch_name = name_;
      next = through(next->entry == 0 ? model_.list : model_.entries[next->entry - 1]);
    }
    return out_;
  }

 private:
  /// Where to begin again, if a line says so.
  std::optional<Aim> through(const List& list) {
    for (const TopLine& top : list) {
      if (is_disabled(top.line)) continue;
      const Place* passed = nullptr;  // a line that stands twice in a row passes once
      for (const Place& place : top.places) {
        if (passed != nullptr && passed->line == place.line && passed->inside == place.inside)
          continue;
        passed = nullptr;
        if (is_disabled(place.line) ||
            std::ranges::any_of(place.inside,
                                [this](std::uint32_t line) { return is_disabled(line); }))
          continue;
        if (!holds(place.tree)) continue;
        out_.caught.push_back(place.line);
        const Aim& line = model_.lines[place.line];
        if (line.target == Target::take) return {};
        if (line.target == Target::pass) break;
        if (line.target == Target::pass_rule) {
          passed = &place;
          continue;
        }
        if (again_.insert(place.line).second) return line;
        return {};
      }
    }
    return {};
  }

  [[nodiscard]] bool is_disabled(std::uint32_t line) const {
    return model_.disabled.count(line) != 0;
  }

  bool holds(const Tree& tree) {
    Said said = walker_.say(tree);
    while (said.truth == Truth::unknown) {
      if (said.missing.count("uid") != 0) {
        out_.asked.emplace_back("uid");
        key_.owner.uid = answers_.owner.uid;
        key_.owner.uid_known = answers_.owner.uid_known;
      } else if (said.missing.count("process") != 0) {
        out_.asked.emplace_back("process");
        key_.owner = answers_.owner;
      } else if (said.missing.count("address") == 0) {
        out_.asked.emplace_back("protocol");
        key_.protocol_known = answers_.protocol ? Known::yes : Known::none;
        key_.protocol = answers_.protocol.value_or(0);
      } else {
        out_.asked.emplace_back("address");
        key_.destination = answers_.address;
        walker_.resolved();
      }
      said = walker_.say(tree);
    }
    return said.truth == Truth::yes;
  }

  const Model& model_;
  const Answers& answers_;
  ruleset::Key key_;
  Walker walker_;
  std::string name_;  // that the key views
  std::set<std::uint32_t> again_;
  Decision out_;
};

}  // namespace

Decision walk(const Model& model, ruleset::Key key, const Answers& answers) {
  return Walk(model, key, answers).run();
}

}  // namespace sluice::test
