#include "controlplane/ruleformats/line_writer.h"

#include "controlplane/ruleformats/classical.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kNoForm = "has no form in a list of this behavior";

std::string_view domain_head(NameKind kind) {
  if (kind == NameKind::suffix) return "+.";
  if (kind == NameKind::below) return ".";
  return {};
}

}  // namespace

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
  } else if (behavior_ == Behavior::classical && !entry.wild &&
             !is_one_field(entry.text, entry.kind == NameKind::regex)) {
    faults_.fault({entry.place, entry.text, "has a comma, which only a regex may hold"});
  } else if (behavior_ == Behavior::classical) {
    put({}, classical_rule(entry.kind, entry.wild, entry.text), entry.place);
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
    put({}, classical_rule(prefix), place);
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
