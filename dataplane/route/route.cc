#include "dataplane/route/route.h"

namespace sluice::route {

std::string_view describe(Refused why) noexcept {
  switch (why) {
    case Refused::none:
      return "not refused";
    case Refused::not_built:
      return "the outbound's type is not built";
    case Refused::no_udp:
      return "the outbound carries no UDP";
    case Refused::pass:
      return "PASS has a meaning in rules only";
    case Refused::pass_rule:
      return "PASS-RULE has a meaning in rules only";
    case Refused::rematch:
      return "REMATCH has a meaning in rules only";
    case Refused::loop:
      return "the rules lead back to the same REMATCH";
  }
  return "unknown";
}

}  // namespace sluice::route
