#include "controlplane/model/parse_rule.h"

#include <optional>
#include <utility>

#include "controlplane/model/bounds.h"
#include "controlplane/model/keys/rule_types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/words.h"
#include "controlplane/model/rule_text/cut.h"
#include "controlplane/model/rule_text/payload.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

using keys::RuleForm;
using keys::RuleType;
using Op = Condition::Op;

/// One text from left to right. Functions that give back false have set the fault.
class RuleParser {
 public:
  RuleParser(std::string_view text, RuleContext context) noexcept
      : whole_(text), text_(trim(text)), context_(context) {}

  std::expected<ParsedRule, RuleFault> run() {
    if (read_line()) return std::move(out_);
    return std::unexpected(std::move(fault_));
  }

 private:
  bool refuse(std::string_view part, std::string problem, std::string remedy) {
    fault_ = {std::move(problem), std::move(remedy), offset_of(part)};
    return false;
  }

  [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept {
    return part.data() == nullptr ? 0 : static_cast<std::size_t>(part.data() - whole_.data());
  }

  [[nodiscard]] bool with_target() const noexcept { return context_ != RuleContext::rule_set; }

  bool read_line() {
    if (text_.size() > kMaxRuleText)
      return refuse(text_, "is longer than " + std::to_string(kMaxRuleText >> 10U) + " KiB",
                    "write it as several lines");
    const std::size_t comma = text_.find(',');
    const RuleType* type = read_type(trim(text_.substr(0, comma)), false);
    if (type == nullptr) return false;
    if (comma == std::string_view::npos) return refuse_incomplete(*type);
    at_ = comma + 1;
    out_.sub_rule = type->form == RuleForm::sub_rule;
    switch (type->form) {
      case RuleForm::atom:
        return read_atom_line(*type);
      case RuleForm::always:
        return read_match_line(*type);
      default:
        return read_logic_line(*type);
    }
  }

  // Types.
  const RuleType* read_type(std::string_view name, bool inside) {
    const RuleType* type = keys::find_rule_type(name);
    if (type == nullptr) {
      Nearest nearest(name);
      for (const RuleType& known : keys::rule_types()) nearest.offer(known.name);
      refuse(name.empty() ? text_ : name, "unsupported rule type " + quote(name),
             nearest.remedy(with_target() && !inside ? "write TYPE,payload,target with a known type"
                                                     : "write TYPE,payload with a known type"));
      return nullptr;
    }
    const bool whole_line = type->form == RuleForm::always || type->form == RuleForm::sub_rule;
    const bool in_set = context_ == RuleContext::rule_set;
    if (inside && whole_line) {
      refuse(name, std::string(type->name) + " cannot stand inside AND, OR, NOT or SUB-RULE",
             "give it a line of its own");
      return nullptr;
    }
    if (in_set && (whole_line || type->kind == AtomKind::rule_set)) {
      refuse(name, std::string(type->name) + " cannot stand in a rule set",
             "write it under rules:");
      return nullptr;
    }
    return type;
  }

  bool refuse_incomplete(const RuleType& type) {
    std::string form = type.form == RuleForm::always     ? "MATCH"
                       : type.form == RuleForm::atom     ? "TYPE,payload"
                       : type.form == RuleForm::negation ? "NOT,((TYPE,payload))"
                       : type.form == RuleForm::sub_rule
                           ? "SUB-RULE,(TYPE,payload)"
                           : std::string(type.name) + ",((TYPE,payload),(TYPE,payload))";
    if (type.form == RuleForm::sub_rule)
      form += ",list";
    else if (with_target())
      form += ",target";
    return refuse(text_, "is not complete", "write " + form);
  }

  /// `from` begins with the parenthesis.
  bool refuse_open(std::string_view from) {
    return refuse(from, "the parenthesis that opens " + quote(from) + " is not closed",
                  "write ) behind what it holds");
  }

  /// Behind a comma between conditions, at what is none: most often the target.
  bool refuse_stranger() {
    std::string_view rest = text_.substr(at_);
    rest = trim(rest.substr(0, rest.find_first_of(",()")));
    if (rest.empty())
      return refuse(text_.substr(at_), "a condition is missing", "write (TYPE,payload)");
    return refuse(
        rest, quote(rest) + " stands among the conditions",
        "close their parentheses with one more ) in front of it, or write (TYPE,payload)");
  }

  // Lines.
  bool read_match_line(const RuleType& type) {
    const auto parts = rule_text::split_at_commas(text_.substr(at_));
    if (parts[0].empty()) return refuse_incomplete(type);
    out_.api_name = "Match";
    out_.target = parts[0];
    out_.condition.op = Op::always;
    return take_options({parts.begin() + 1, parts.end()}, out_.condition);
  }

  bool read_atom_line(const RuleType& type) {
    const auto fields = rule_text::cut(type.kind, text_.substr(at_), with_target());
    if (!fields) return refuse_incomplete(type);
    if (!read_atom(type, fields->payload, out_.condition)) return false;
    out_.payload = fields->payload;
    out_.target = fields->target;
    if (!take_options(fields->options, out_.condition)) return false;
    out_.api_name = api_name(type.kind, type.source || out_.source);
    return true;
  }

  bool read_logic_line(const RuleType& type) {
    skip_blanks();
    const std::size_t begin = at_;
    if (!read_operands(type, 1, out_.condition)) return false;
    out_.payload = text_.substr(begin, at_ - begin);
    out_.api_name = type.form == RuleForm::all   ? "AND"
                    : type.form == RuleForm::any ? "OR"
                    : out_.sub_rule              ? "SubRules"
                                                 : "NOT";
    skip_blanks();
    if (at_ == text_.size()) return with_target() ? refuse_incomplete(type) : true;
    if (text_[at_] != ',')
      return refuse(text_.substr(at_), "a comma is missing behind the parentheses",
                    "separate the target by one");
    auto parts = rule_text::split_at_commas(text_.substr(at_ + 1));
    if (with_target()) {
      if (parts[0].empty()) return refuse_incomplete(type);
      out_.target = parts[0];
      parts.erase(parts.begin());
    }
    return take_options(parts, out_.condition);
  }

  // What stands in parentheses.
  bool read_operands(const RuleType& type, unsigned depth, Condition& out) {
    if (depth > kMaxLogicDepth)
      return refuse(text_.substr(at_),
                    "conditions are nested deeper than " + std::to_string(kMaxLogicDepth),
                    "write it as several lines or a sub-rule list");
    const bool one = type.form == RuleForm::negation || type.form == RuleForm::sub_rule;
    std::vector<Condition> operands;
    if (!read_list(type, one, depth, operands)) return false;
    if (type.form == RuleForm::sub_rule) {
      out = std::move(operands.front());
      return true;
    }
    out.op = type.form == RuleForm::all   ? Op::all
             : type.form == RuleForm::any ? Op::any
                                          : Op::negation;
    out.operands = std::move(operands);
    return true;
  }

  /// "((A),(B))", or "(A)" where one is meant.
  bool read_list(const RuleType& type, bool one, unsigned depth, std::vector<Condition>& out) {
    const std::string_view from = text_.substr(at_);
    if (peek() != '(') return refuse_incomplete(type);
    const std::size_t open = at_++;
    skip_blanks();
    if (peek() != '(') {
      if (!one) return refuse_incomplete(type);
      at_ = open;
      return read_operand(depth, out.emplace_back());
    }
    while (true) {
      if (!read_operand(depth, out.emplace_back())) return false;
      skip_blanks();
      if (peek() != ',') break;
      ++at_;
      skip_blanks();
      if (peek() != '(') return refuse_stranger();
    }
    if (peek() != ')') return refuse_open(from);
    ++at_;
    if (one && out.size() != 1)
      return refuse(from, std::string(type.name) + " takes one condition",
                    "join several by AND or OR");
    return true;
  }

  /// "(TYPE,payload[,option...])"
  bool read_operand(unsigned depth, Condition& out) {
    const std::string_view from = text_.substr(at_);
    if (peek() != '(') return refuse(from, "a condition is missing", "write (TYPE,payload)");
    ++at_;
    const std::size_t end = text_.find_first_of(",()", at_);
    const RuleType* type = read_type(trim(text_.substr(at_, end - at_)), true);
    if (type == nullptr) return false;
    if (end == std::string_view::npos || text_[end] != ',')
      return refuse(from, "the condition is not complete", "write (TYPE,payload)");
    at_ = end + 1;
    if (type->form != RuleForm::atom) return read_nested(*type, depth, out);
    const std::size_t close = rule_text::find_closing(text_, at_, rule_text::is_regex(type->kind));
    if (close == std::string_view::npos) return refuse_open(from);
    const auto fields = rule_text::cut(type->kind, text_.substr(at_, close - at_), false);
    if (!fields) return refuse(from, "the condition is not complete", "write (TYPE,payload)");
    at_ = close + 1;
    if (!read_atom(*type, fields->payload, out)) return false;
    return take_inner_options(fields->options, out);
  }

  /// "(AND,((...),(...))[,option...])" behind its type.
  bool read_nested(const RuleType& type, unsigned depth, Condition& out) {
    skip_blanks();
    const std::string_view from = text_.substr(at_);
    if (!read_operands(type, depth + 1, out)) return false;
    const std::size_t close = text_.find(')', at_);
    if (close == std::string_view::npos) return refuse_open(from);
    const std::string_view rest = trim(text_.substr(at_, close - at_));
    at_ = close + 1;
    if (rest.empty()) return true;
    if (rest.front() != ',') return refuse(rest, "a comma is missing", "separate options by one");
    return take_inner_options(rule_text::split_at_commas(rest.substr(1)), out);
  }

  bool read_atom(const RuleType& type, std::string_view text, Condition& out) {
    if (++atoms_ > kMaxAtoms)
      return refuse(text, "more than " + std::to_string(kMaxAtoms) + " conditions in one rule",
                    "write it as several lines");
    const std::size_t noted = out_.notes.size();
    auto payload = rule_text::read_payload(type.kind, text, out_.notes);
    for (std::size_t i = noted; i < out_.notes.size(); ++i) out_.notes[i].offset = offset_of(text);
    if (out_.notes.size() > kMaxNotes) out_.notes.resize(kMaxNotes);
    if (!payload)
      return refuse(text, std::move(payload.error().problem), std::move(payload.error().remedy));
    if (std::holds_alternative<std::monostate>(*payload)) {
      out.op = Op::never;
      return true;
    }
    out = Condition::of({type.kind, type.source, false, std::move(*payload)});
    return true;
  }

  // Options.
  bool take_options(const std::vector<std::string_view>& options, Condition& condition) {
    if (!check_count(options)) return false;
    for (const std::string_view option : options) {
      if (iequals(option, "no-resolve")) out_.no_resolve = true;
      if (take_option(option, condition) && iequals(option, "src")) out_.source = true;
    }
    return true;
  }

  bool take_inner_options(const std::vector<std::string_view>& options, Condition& condition) {
    if (!check_count(options)) return false;
    for (const std::string_view option : options) take_option(option, condition);
    return true;
  }

  bool check_count(const std::vector<std::string_view>& options) {
    if (options.size() <= kMaxOptions) return true;
    return refuse(options[kMaxOptions], "more than " + std::to_string(kMaxOptions) + " options",
                  "remove this one and those behind it");
  }

  bool take_option(std::string_view option, Condition& condition) {
    if (iequals(option, "no-resolve")) {
      for_each_atom(condition, [](Atom& atom) {
        atom.no_resolve = takes_address_options(atom.kind) && !atom.source;
      });
      return true;
    }
    if (iequals(option, "src") && condition.op == Op::never) return true;
    const bool address = condition.op == Op::atom && takes_address_options(condition.atom.kind);
    if (iequals(option, "src") && address) {
      condition.atom.source = true;
      condition.atom.no_resolve = false;  // a source is always known
      return true;
    }
    if (iequals(option, "src")) {
      note_option(option, "`src` means nothing here",
                  condition.operands.empty()
                      ? "it is ignored: remove it"
                      : "it is ignored: write it inside the parentheses, behind an address");
      return false;
    }
    Nearest nearest(option);
    nearest.offer("no-resolve");
    note_option(option, "unknown option " + quote(option),
                nearest.remedy("it is ignored: remove it"));
    return false;
  }

  void note_option(std::string_view option, std::string problem, std::string remedy) {
    if (out_.notes.size() == kMaxNotes) return;
    out_.notes.push_back(
        {RuleNote::Topic::option, std::move(problem), std::move(remedy), offset_of(option)});
  }

  // The cursor.
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() noexcept {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  std::string_view whole_;
  std::string_view text_;  // whole_ without the blanks around
  RuleContext context_;
  std::size_t at_ = 0;  // in text_
  std::size_t atoms_ = 0;
  ParsedRule out_;
  RuleFault fault_;
};

}  // namespace

std::expected<ParsedRule, RuleFault> parse_rule(std::string_view text, RuleContext context) {
  return RuleParser(text, context).run();
}

}  // namespace sluice::model
