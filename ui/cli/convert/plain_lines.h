// convert/plain_lines.h - classical rules that are nothing but a name or a prefix, as such.
//
//   DOMAIN,x   DOMAIN-SUFFIX,x   DOMAIN-WILDCARD,*.x     x, +.x, .x
//   IP-CIDR,p  IP-CIDR6,p  with or without no-resolve    p
//
// Everything else goes on as the rule that it is.
#pragma once

#include "controlplane/ruleformats/feed.h"

namespace sluice::cli {

class PlainLines final : public ruleformats::Entries {
 public:
  /// `to` outlives it.
  PlainLines(ruleformats::Entries& to, const ruleformats::Bounds& bounds) noexcept
      : to_(to), feed_(to, bounds) {}

  void name(const ruleformats::NameEntry& entry) override { to_.name(entry); }
  void prefix(const Prefix& prefix, const ruleformats::Place& place) override {
    to_.prefix(prefix, place);
  }
  void line(std::string_view rule, const ruleformats::Place& place) override;
  void fault(const ruleformats::Fault& fault) override { to_.fault(fault); }

 private:
  bool take_name(std::string_view type, std::string_view payload, const ruleformats::Place& place);

  ruleformats::Entries& to_;
  ruleformats::Feed feed_;  ///< checks names
};

}  // namespace sluice::cli
