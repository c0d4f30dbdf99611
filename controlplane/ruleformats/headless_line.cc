#include "controlplane/ruleformats/headless_line.h"

#include <algorithm>
#include <array>

#include "controlplane/ruleformats/bounds.h"
#include "controlplane/ruleformats/classical.h"
#include "controlplane/ruleformats/feed.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kNoText = "has a text that no rule can hold";

constexpr std::string_view kHeads[] = {
    "",         "DST-PORT,",     "SRC-IP-CIDR,",  "SRC-PORT,",
    "NETWORK,", "PROCESS-NAME,", "PROCESS-PATH,", "PROCESS-PATH-REGEX,"};

/// Brackets pair up, so that the text can stand between brackets.
bool is_balanced(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0 && text.find_first_of("\r\n") == std::string_view::npos;
}

/// The rules `(a),(b),(c)` of one group, and how many they are.
class Alternatives final : public HeadlessTerms {
 public:
  Alternatives(HeadlessGroup group, std::size_t max_bytes)
      : head_(kHeads[static_cast<std::size_t>(group)]), max_bytes_(max_bytes) {}

  void name(NameKind kind, std::string_view text) override {
    if (kind > NameKind::below) {
      if (is_one_field(text, kind == NameKind::regex))
        add(classical_rule(kind, false, text));
      else
        bad(text, kNoText);
      return;
    }
    NameText checked;
    if (const auto reason = checked.assign(text, NameText::Wildcards::refused); !reason.empty()) {
      bad(text, reason);
    } else {
      add(classical_rule(kind, false, checked.view()));
    }
  }
  void prefix(const Prefix& prefix) override {
    add(head_.empty() ? classical_rule(prefix) : std::string(head_) + prefix.to_string());
  }
  void ports(std::uint16_t first, std::uint16_t last) override {
    const std::string range =
        std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
    if (port_count_++ % kMaxLinePorts == 0) {
      add(std::string(head_) + range);
    } else if (reason_.empty()) {
      out_.insert(out_.size() - 1, "/" + range);
    }
  }
  void word(std::string_view text) override {
    const bool regex = head_.ends_with("REGEX,");
    if (head_ == "NETWORK," && text != "tcp" && text != "udp") {
      bad(text, "names a network that is not known");
    } else if (!is_one_field(text, regex)) {
      bad(text, kNoText);
    } else {
      add(std::string(head_).append(text));
    }
  }
  void bad(std::string_view, std::string_view reason) override {
    if (reason_.empty()) reason_ = reason;
  }
  [[nodiscard]] bool done() const override { return !reason_.empty(); }

  /// The alternatives as one rule.
  [[nodiscard]] std::string rule() const {
    return count_ == 1 ? out_.substr(1, out_.size() - 2) : "OR,(" + out_ + ")";
  }
  [[nodiscard]] unsigned count() const noexcept { return count_; }
  [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

 private:
  void add(const std::string& rule) {
    if (!is_balanced(rule)) bad(rule, kNoText);
    if (out_.size() + rule.size() > max_bytes_) bad({}, "needs a rule line that is too long");
    if (!reason_.empty()) return;
    if (count_++ > 0) out_.push_back(',');
    out_.append("(").append(rule).append(")");
  }

  std::string_view head_;
  std::size_t max_bytes_;
  std::string out_;
  unsigned count_ = 0;
  unsigned port_count_ = 0;
  std::string_view reason_;
};

class LineBuilder {
 public:
  LineBuilder(const HeadlessSource& source, std::size_t max_bytes)
      : source_(source), max_bytes_(max_bytes) {}

  /// Recursion ends at kMaxDepth, which the tree keeps.
  std::string rule(const HeadlessRule& rule) {
    std::vector<std::string> parts = rule.logical ? children(rule) : groups(rule);
    if (parts.empty()) stop("has no conditions");
    std::string out = join(parts, rule.logical && rule.any ? "OR" : "AND");
    if (out.size() > max_bytes_) stop("needs a rule line that is too long");
    return rule.invert ? "NOT,((" + out + "))" : out;
  }
  [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

 private:
  void stop(std::string_view reason) {
    if (reason_.empty()) reason_ = reason;
  }

  std::vector<std::string> children(const HeadlessRule& parent) {
    std::vector<std::string> out;
    std::size_t size = 0;
    for (const HeadlessRule& child : parent.rules) {
      if (!reason_.empty()) break;
      out.push_back(rule(child));
      size += out.back().size();
      if (size > max_bytes_) stop("needs a rule line that is too long");
    }
    return out;
  }

  std::vector<std::string> groups(const HeadlessRule& rule) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::size(kHeads) && reason_.empty(); ++i) {
      const auto group = static_cast<HeadlessGroup>(i);
      Alternatives found(group, max_bytes_);
      for (const HeadlessItem& item : rule.items)
        if (group_of(item.field) == group) source_.read(item, found);
      if (!found.reason().empty()) stop(found.reason());
      if (found.count() > 0) out.push_back(found.rule());
    }
    return out;
  }

  static std::string join(const std::vector<std::string>& parts, std::string_view type) {
    if (parts.size() == 1) return parts[0];
    std::string out(type);
    out += ",(";
    for (const std::string& part : parts) {
      if (&part != parts.data()) out.push_back(',');
      out.append("(").append(part).append(")");
    }
    out.push_back(')');
    return out;
  }

  const HeadlessSource& source_;
  std::size_t max_bytes_;
  std::string_view reason_;
};

}  // namespace

std::expected<std::string, std::string_view> headless_line(const HeadlessRule& rule,
                                                           const HeadlessSource& source,
                                                           std::size_t max_bytes) {
  LineBuilder builder(source, max_bytes);
  std::string out = builder.rule(rule);
  if (!builder.reason().empty()) return std::unexpected(builder.reason());
  return out;
}

}  // namespace sluice::ruleformats
