#include "controlplane/model/keys/types.h"
#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

using contract::Cipher;
using contract::IpVersion;
using contract::OutboundKind;

TEST(LoadProxies, ReadsEveryBuiltType) {
  const Config config = clean(R"(
proxies:
  - {name: d, type: direct, ip-version: ipv6-prefer, interface-name: wan, routing-mark: 7}
  - {name: r, type: reject}
  - {name: s, type: socks5, server: Proxy.Example., port: "1080", username: u, password: 0123, udp: true}
  - {name: h, type: http, server: 192.0.2.1, port: 3128, udp: true, tls: false}
  - {name: x, type: ss, server: bücher.example, port: 8388, cipher: CHACHA20-IETF-POLY1305, password: 1e3}
)");
  ASSERT_EQ(config.proxies.size(), 5U);
  const Proxy& d = config.proxies[0];
  EXPECT_EQ(d.kind, OutboundKind::direct);
  EXPECT_EQ(d.type_name, "Direct");
  EXPECT_TRUE(d.udp);
  EXPECT_EQ(d.ip_version, IpVersion::prefer_v6);
  EXPECT_EQ(d.interface_name, "wan");
  EXPECT_EQ(d.routing_mark, 7U);
  EXPECT_EQ(config.proxies[1].kind, OutboundKind::reject);
  const Proxy& s = config.proxies[2];
  EXPECT_EQ(s.kind, OutboundKind::socks5);
  EXPECT_EQ(s.server, "proxy.example");
  EXPECT_EQ(s.port, 1080);
  EXPECT_EQ(s.username, "u");
  EXPECT_EQ(s.password, "0123");  // as written
  EXPECT_TRUE(s.udp);
  EXPECT_FALSE(config.proxies[3].udp);  // HTTP proxies carry none
  const Proxy& x = config.proxies[4];
  EXPECT_EQ(x.kind, OutboundKind::shadowsocks);
  EXPECT_EQ(x.server, "xn--bcher-kva.example");
  EXPECT_EQ(x.cipher, Cipher::chacha20_ietf_poly1305);
  EXPECT_EQ(x.password, "1e3");
  EXPECT_FALSE(x.udp);  // only when the file says so
}

TEST(LoadProxies, EveryTypeThatIsNotBuiltKeepsItsNameAndRefuses) {
  for (const keys::ProxyType& type : keys::proxy_types()) {
    if (type.kind != OutboundKind::unbuilt) continue;
    const std::string name(type.name);
    const LoadResult result =
        load_config("proxies: [{name: N, type: " + name + "}]\nrules: [\"MATCH,N\"]\n", "f.yaml");
    ASSERT_TRUE(result.config) << said(result);
    const Proxy& proxy = result.config->proxies[0];
    EXPECT_FALSE(proxy.built());
    EXPECT_EQ(proxy.type_name, type.api_name);
    EXPECT_EQ(proxy.why_unbuilt, "type " + name);
    EXPECT_EQ(said(result),
              "W f.yaml:1:27: proxies[0].type: \"N\": " + name +
                  " is known, not built yet; flows to this proxy are refused until it is\n");
  }
}

// Half of what was asked for is never done: without TLS the password would travel plainly.
TEST(LoadProxies, AnOptionThatChangesTheWireRefusesTheProxy) {
  const std::string_view options[] = {"tls: true", "dialer-proxy: other",
                                      "reality-opts: {public-key: x}"};
  for (std::string_view option : options) {
    const bool tls = option.starts_with("tls");
    const std::string text =
        "proxies: [{name: N, type: " + std::string(tls ? "http" : "ss") + ", server: s, port: 1, " +
        (tls ? "" : "cipher: aes-128-gcm, password: p, ") + std::string(option) + "}]\n";
    const LoadResult result = load_config(text, "f.yaml");
    ASSERT_TRUE(result.config) << said(result);
    EXPECT_FALSE(result.config->proxies[0].built()) << option;
    EXPECT_NE(said(result).find("what needs it is refused"), std::string::npos) << said(result);
  }
  const LoadResult plugin = load_config(
      "proxies: [{name: N, type: ss, server: s, port: 1, cipher: aes-128-gcm, password: p, "
      "plugin: obfs, plugin-opts: {mode: tls}}]\n",
      "f.yaml");
  ASSERT_TRUE(plugin.config);
  EXPECT_EQ(plugin.config->proxies[0].why_unbuilt, "option plugin");
  EXPECT_EQ(plugin.config->proxies[0].type_name, "Shadowsocks");
}

TEST(LoadProxies, ACipherThatIsNotBuiltRefusesTheProxyAnUnknownOneIsAnError) {
  const auto text = [](const std::string& cipher) {
    return "proxies: [{name: N, type: ss, server: s, port: 1, password: p, cipher: " + cipher +
           "}]\n";
  };
  const LoadResult result = load_config(text("2022-blake3-aes-128-gcm"), "f.yaml");
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->proxies[0].why_unbuilt, "cipher 2022-blake3-aes-128-gcm");
  EXPECT_EQ(
      said(text("aes-265-gcm")),
      "E f.yaml:1:72: proxies[0].cipher: \"N\": \"aes-265-gcm\" is not a cipher; did you mean "
      "`aes-256-gcm`?\n");
}

TEST(LoadProxies, TypesByTheirLongNamesAreOfferedTheShortOnes) {
  for (const auto& [other, name] :
       {std::pair("shadowsocks", "`ss`"), std::pair("socks", "`socks5`")})
    EXPECT_NE(said("proxies:\n  - {name: a, type: " + std::string(other) + "}\n")
                  .find("did you mean " + std::string(name) + "?"),
              std::string::npos)
        << other;
}

TEST(LoadProxies, NamesWhatIsMissingOrWrong) {
  EXPECT_EQ(
      said(R"(proxies:
  - {type: direct}
  - {name: DIRECT, type: direct}
  - {name: a}
  - {name: b, type: sss}
  - {name: c, type: ss}
  - {name: d, type: http, server: "a b", port: 65536, ip-version: v4}
  - just text
)"),
      "E f.yaml:2:5: proxies[0].name: a proxy needs a name; write name:\n"
      "E f.yaml:3:12: proxies[1].name: \"DIRECT\" is a built-in name; choose another name\n"
      "E f.yaml:4:5: proxies[2]: \"a\": has no type; write type: ss or another\n"
      "E f.yaml:5:21: proxies[3].type: \"b\": \"sss\" is not a type of proxy; did you mean `ss`?\n"
      "E f.yaml:6:5: proxies[4]: \"c\": has no server; write server: and port:\n"
      "E f.yaml:6:5: proxies[4]: \"c\": has no port; write port: with a number from 1 to 65535\n"
      "E f.yaml:6:5: proxies[4]: \"c\": has no cipher; write cipher:\n"
      "E f.yaml:6:5: proxies[4]: \"c\": has no password; write password:\n"
      "E f.yaml:7:35: proxies[5].server: \"d\": \"a b\" is neither a name nor an address; write "
      "the server alone, its port under port:\n"
      "E f.yaml:7:48: proxies[5].port: \"d\": \"65536\" is not a number from 1 to 65535; write "
      "such a number\n"
      "E f.yaml:7:67: proxies[5].ip-version: \"d\": \"v4\" is none of dual, ipv4, ipv6, "
      "ipv4-prefer, ipv6-prefer; write one of them\n"
      "E f.yaml:8:5: proxies[6]: is text, a map is needed; write `key: value` pairs\n");
}

}  // namespace
}  // namespace sluice::model
