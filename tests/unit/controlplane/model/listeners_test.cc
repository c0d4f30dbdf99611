#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

using contract::ListenerKind;

std::string address_of(std::string_view text) {
  const Config config = loaded(text);
  return config.listeners.empty() ? "" : config.listeners[0].address.to_string();
}

TEST(LoadListeners, GeneralPortsStandOnLoopbackUnlessTheLanIsAllowed) {
  EXPECT_EQ(address_of("port: 1\n"), "127.0.0.1");
  EXPECT_EQ(address_of("port: 1\nbind-address: 10.0.0.1\n"), "127.0.0.1");
  EXPECT_EQ(address_of("port: 1\nallow-lan: true\n"), "::");
  EXPECT_EQ(address_of("port: 1\nallow-lan: true\nbind-address: 10.0.0.1\n"), "10.0.0.1");
}

TEST(LoadListeners, GeneralPortsTakeTheGeneralUsersWhereTheirProtocolHasLogins) {
  const Config config =
      clean("socks-port: 1\ntproxy-port: 2\nredir-port: 3\nauthentication: [a:b]\n");
  ASSERT_EQ(config.listeners.size(), 3U);
  EXPECT_EQ(config.listeners[0].users.size(), 1U);
  EXPECT_TRUE(config.listeners[0].udp);
  EXPECT_EQ(config.listeners[1].name, "DEFAULT-REDIR");
  EXPECT_TRUE(config.listeners[1].users.empty());
  EXPECT_FALSE(config.listeners[1].udp);
  EXPECT_EQ(config.listeners[2].kind, ListenerKind::tproxy);
  EXPECT_TRUE(config.listeners[2].users.empty());
  EXPECT_TRUE(config.listeners[2].udp);
}

TEST(LoadListeners, EntriesHaveOwnUsersAddressesAndPortRanges) {
  const Config config = clean(R"(
authentication: [g:g]
listeners:
  - {name: a, type: mixed, port: 1000, listen: "::", udp: false, users: [{username: u, password: p}]}
  - {name: b, type: socks, port: 2000-2001/2003, users: []}
  - {name: c, type: http, port: [3000], proxy: DIRECT}
)");
  ASSERT_EQ(config.listeners.size(), 5U);
  const Listener& a = config.listeners[0];
  EXPECT_EQ(a.users, (std::vector<contract::User>{{"u", "p"}}));
  EXPECT_EQ(a.address.to_string(), "::");
  EXPECT_FALSE(a.udp);
  EXPECT_EQ(config.listeners[1].name, "b:2000");
  EXPECT_EQ(config.listeners[3].name, "b:2003");
  EXPECT_EQ(config.listeners[3].port, 2003);
  EXPECT_EQ(config.listeners[3].address.to_string(), "0.0.0.0");
  EXPECT_TRUE(config.listeners[3].users.empty());  // an empty list means no login
  const Listener& c = config.listeners[4];
  EXPECT_EQ(c.name, "c");
  EXPECT_EQ(c.users, (std::vector<contract::User>{{"g", "g"}}));
  EXPECT_EQ(c.proxy, "DIRECT");
}

TEST(LoadListeners, WhatIsNotBuiltIsNotOpened) {
  const LoadResult result = load_config(R"(
listeners:
  - {name: v, type: vless, port: 1, users: [{uuid: x}]}
  - {name: t, type: http, port: 2, certificate: c.pem, private-key: k.pem}
  - {name: ok, type: http, port: 4, certificate: ""}
)",
                                        "f.yaml");
  ASSERT_TRUE(result.config) << said(result);
  ASSERT_EQ(result.config->listeners.size(), 1U);
  EXPECT_EQ(result.config->listeners[0].name, "ok");
  const std::string needed =
      ": known, not built yet; what needs it is refused until then, never done without it\n";
  EXPECT_EQ(
      said(result),
      "W f.yaml:3:21: listeners[0].type: \"v\": vless is known, not built yet; the listener is "
      "not opened\n"
      "W f.yaml:4:36: listeners[1].certificate" +
          needed + "W f.yaml:4:56: listeners[1].private-key" + needed);
}

TEST(LoadListeners, AListOfItsOwnDecidesWhereThereIsOne) {
  const LoadResult result = load_config(R"(
listeners:
  - {name: a, type: http, port: 1, rule: guests}
  - {name: b, type: http, port: 2-3, rule: guest}
  - {name: c, type: http, port: 4, rule: guests, proxy: DIRECT}
  - {name: d, type: http, port: 5, rule: ""}
sub-rules:
  guests: ['MATCH,REJECT']
)",
                                        "f.yaml");
  ASSERT_TRUE(result.config) << said(result);
  std::vector<std::string> rules;
  for (const Listener& listener : result.config->listeners) rules.push_back(listener.rule);
  EXPECT_EQ(rules, (std::vector<std::string>{"guests", "", "", "guests", ""}));
  EXPECT_EQ(said(result),
            "W f.yaml:4:44: listeners[1].rule: sub-rule list \"guest\" does not exist; "
            "`rules` decide its flows; did you mean `guests`?\n"
            "W f.yaml:5:42: listeners[2].rule: has no effect: `proxy` of the same listener "
            "takes every flow; remove one of them\n");
}

TEST(LoadListeners, NamesWhatIsWrong) {
  EXPECT_EQ(
      said(R"(listeners:
  - {type: http, port: 1}
  - {name: a, type: htp, port: 1}
  - {name: b, type: http}
  - {name: c, type: http, port: 0}
  - {name: d, type: http, port: 5, listen: eth0}
  - {name: e, type: http, port: 6, proxy: Nowhere}
  - {name: DEFAULT-X, type: http, port: 7}
)"),
      "E f.yaml:2:5: listeners[0].name: a listener needs a name; write name:\n"
      "E f.yaml:3:21: listeners[1].type: \"a\": \"htp\" is not a type of listener; did you mean "
      "`http`?\n"
      "E f.yaml:4:5: listeners[2]: \"b\": has no port; write port: with a number from 1 to 65535\n"
      "E f.yaml:5:33: listeners[3].port: \"c\": \"0\" is not a port; write a number from 1 to "
      "65535, or ranges as 7891-7893/8000\n"
      "E f.yaml:6:44: listeners[4].listen: \"d\": \"eth0\" is not an address; write 0.0.0.0, "
      "\"::\" for both families, or one address of this machine\n"
      "E f.yaml:7:43: listeners[5].proxy: target \"Nowhere\" does not exist; add it to proxies "
      "or proxy-groups, or correct the name\n"
      "E f.yaml:8:12: listeners[6].name: \"DEFAULT-X\": names that begin with DEFAULT- belong to "
      "the general ports; choose another name\n");
}

TEST(LoadListeners, APortCannotBeTakenTwice) {
  EXPECT_EQ(
      said("port: 1\nlisteners: [{name: a, type: http, port: 1}]\n"),
      "E f.yaml:2:20: listeners[0].name: port 1 is already taken by \"DEFAULT-HTTP\" on line 1; "
      "choose another port\n");
  EXPECT_EQ(said("port: 53\ndns: {enable: true, listen: \":53\"}\n"),
            "E f.yaml:1:7: port: port 53 is already taken by dns.listen; choose another port\n");
  // Another address, another family, a listener that is off: no clash.
  clean("port: 1\nlisteners: [{name: a, type: http, port: 1, listen: 127.0.0.2}]\n");
  clean("port: 1\nlisteners: [{name: a, type: http, port: 1, listen: \"::1\"}]\n");
  clean("port: 53\ndns: {enable: false, listen: \":53\"}\n");
  EXPECT_NE(said("listeners: [{name: a, type: http, port: 1-400}]\n").find("more than 256 ports"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice::model
