#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

TEST(LoadEffects, RulesAfterMatchAreSaidOnce) {
  EXPECT_EQ(said("rules:\n  - MATCH,DIRECT\n  - DOMAIN,a.test,DIRECT\n  - MATCH,REJECT\n"),
            "W f.yaml:3:5: rules[1]: this line and the 1 after it can never be reached: MATCH on "
            "line 2 takes every flow; move MATCH to the end of the list, or remove what follows "
            "it\n");
  clean("rules:\n  - DOMAIN,a.test,DIRECT\n  - MATCH,DIRECT\n");
  // A line that is skipped reaches nothing anyway, and has a warning of its own.
  EXPECT_EQ(said("rules:\n  - MATCH,DIRECT\n  - IN-TYPE,TUN,DIRECT\n").find("reached"),
            std::string::npos);
}

// Whoever chooses PASS in the group sends everything on, so nothing is certain.
TEST(LoadEffects, AMatchThatPassesOnHidesNothing) {
  clean("rules:\n  - MATCH,PASS\n  - MATCH,DIRECT\n");
  clean(
      "proxy-groups: [{name: g, type: select, proxies: [DIRECT, PASS]}]\n"
      "rules:\n  - MATCH,g\n  - MATCH,DIRECT\n");
}

TEST(LoadEffects, AfterAMatchWithoutUdpOnlyUdpGoesOn) {
  const std::string proxies =
      "proxies: [{name: web, type: http, server: 192.0.2.1, port: 8080}]\n"
      "proxy-groups: [{name: g, type: select, proxies: [DIRECT, web]}]\n";
  for (const std::string target : {"web", "g", "GLOBAL"}) {
    EXPECT_EQ(said(proxies + "rules:\n  - MATCH," + target + "\n  - MATCH,REJECT\n"),
              "W f.yaml:5:5: rules[1]: only UDP flows that \"" + target +
                  "\" does not carry reach this line: MATCH on line 4 takes all others; move "
                  "MATCH to the end of the list if that is not what you want\n");
  }
}

TEST(LoadEffects, AListenerThatRefusesEverybodyIsSaidOncePerEntry) {
  EXPECT_EQ(said("listeners: [{name: a, type: mixed, port: 1-3, proxy: PASS}]\n"),
            "W f.yaml:1:54: listeners[0].proxy: every flow is refused: PASS goes on to the next "
            "rule, and a listener that names its proxy has none; name a proxy or group, or remove "
            "`proxy` so that the rules decide\n");
  clean("listeners: [{name: a, type: mixed, port: 1, proxy: DIRECT}]\n");
}

TEST(LoadEffects, AListenerWithoutPortsOpensNothing) {
  EXPECT_EQ(said("listeners: [{name: a, type: mixed, port: []}]\n"),
            "W f.yaml:1:42: listeners[0].port: \"a\": is an empty list, so the listener opens "
            "nothing; write a number from 1 to 65535, or remove the listener\n");
}

TEST(LoadEffects, PortsOpenToTheLanWithoutAPasswordAreSaidOnce) {
  const std::string open = "mixed-port: 1\nsocks-port: 2\nallow-lan: true\n";
  EXPECT_EQ(said(open),
            "W f.yaml:3:12: allow-lan: everybody who reaches this machine may use its ports, "
            "without a password; set authentication, or say who may with lan-allowed-ips\n");
  clean(open + "authentication: [\"a:b\"]\n");
  clean(open + "lan-allowed-ips: [192.168.0.0/16]\n");
  clean(open + "bind-address: 127.0.0.1\n");
  clean("allow-lan: true\n");                 // no port is open
  clean("redir-port: 1\nallow-lan: true\n");  // nobody logs in there
  clean("mixed-port: 1\nallow-lan: false\n");
}

}  // namespace
}  // namespace sluice::model
