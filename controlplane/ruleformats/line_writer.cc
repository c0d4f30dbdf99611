#include "controlplane/ruleformats/line_writer.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kNoForm = "has no form in a list of this behavior";

std::string_view domain_head(NameKind kind) {
  if (kind == NameKind::suffix) return "+.";
  if (kind == NameKind::below) return ".";
  return {};
}

std::string_view classical_head(NameKind kind) {
  switch (kind) {
    case NameKind::exact:
      return "DOMAIN,";
    case NameKind::suffix:
      return "DOMAIN-SUFFIX,";
    case NameKind::below:
      return "DOMAIN-WILDCARD,*.";
    case NameKind::glob:
      return "DOMAIN-WILDCARD,";
    case NameKind::keyword:
      return "DOMAIN-KEYWORD,";
    case NameKind::regex:
      return "DOMAIN-REGEX,";
  }
  return {};
}

}  // namespace

std::string labels_regex(NameKind kind, std::string_view name) {
  std::string out = kind == NameKind::suffix  ? "^(.+\\.)?"
                    : kind == NameKind::below ? "^.+\\."
                                              : "^";
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (c == '*') {
      out += "[^.]+";
    } else {
      if (!plain) out.push_back('\\');
      out.push_back(c);
    }
  }
  out.push_back('$');
  return out;
}

LineWriter::LineWriter(LineFormat format, Behavior behavior, std::string& out, Faults& faults)
    : format_(format), behavior_(behavior), out_(out), faults_(faults) {
  if (format_ == LineFormat::yaml) out_ += "payload:\n";
}

void LineWriter::put(std::string_view head, std::string_view text, const Place& place) {
  if (text.find_first_of("\r\n") != std::string_view::npos) {
    faults_.fault({place, text, "has a line break, which no line holds"});
    return;
  }
  if (format_ == LineFormat::text) {
    out_.append(head).append(text).push_back('\n');
    return;
  }
  out_ += "  - '";
  for (const std::string_view part : {head, text}) {
    for (const char c : part) {
      if (c == '\'') out_.push_back('\'');
      out_.push_back(c);
    }
  }
  out_ += "'\n";
}

void LineWriter::name(const NameEntry& entry) {
  if (is_exception(entry.weight)) {
    faults_.fault({entry.place, entry.text, "is an exception, which no list of this kind holds"});
  } else if (behavior_ == Behavior::classical && entry.wild) {
    put("DOMAIN-REGEX,", labels_regex(entry.kind, entry.text), entry.place);
  } else if (behavior_ == Behavior::classical) {
    put(classical_head(entry.kind), entry.text, entry.place);
  } else if (behavior_ == Behavior::domain && entry.kind <= NameKind::below) {
    put(domain_head(entry.kind), entry.text, entry.place);
  } else {
    faults_.fault({entry.place, entry.text, kNoForm});
  }
}

void LineWriter::prefix(const Prefix& prefix, const Place& place) {
  const std::string text = prefix.to_string();
  if (behavior_ == Behavior::ipcidr) {
    put({}, text, place);
  } else if (behavior_ == Behavior::classical) {
    put(prefix.base.is_v6() ? "IP-CIDR6," : "IP-CIDR,", text, place);
  } else {
    faults_.fault({place, text, kNoForm});
  }
}

void LineWriter::line(std::string_view rule, const Place& place) {
  if (behavior_ == Behavior::classical) {
    put({}, rule, place);
  } else {
    faults_.fault({place, rule, kNoForm});
  }
}

}  // namespace sluice::ruleformats
