#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

// Keep-alive spans: longer than an hour finds no dead peer in time; the kernel takes up to 32767 s.
constexpr std::uint64_t kLongestKeepAlive_s = 32'767;

constexpr std::pair<std::string_view, contract::Mode> kModes[] = {
    {"rule", contract::Mode::rule},
    {"global", contract::Mode::global},
    {"direct", contract::Mode::direct},
};
constexpr std::pair<std::string_view, LogLevel> kLogLevels[] = {
    {"silent", LogLevel::silent}, {"error", LogLevel::error}, {"warning", LogLevel::warning},
    {"info", LogLevel::info},     {"debug", LogLevel::debug},
};

/// "user:password", split at the first colon (B073). The text itself never reaches a message.
std::vector<contract::User> read_authentication(const Fields& top) {
  std::vector<contract::User> out;
  for (const Value& v : top.texts("authentication")) {
    const std::size_t colon = v.text().find(':');
    if (colon == std::string_view::npos || colon == 0) {
      top.error(v.place(), "has no colon between a user and a password", "write \"user:password\"");
      continue;
    }
    out.push_back(
        {std::string(v.text().substr(0, colon)), std::string(v.text().substr(colon + 1))});
  }
  return out;
}

void read_bind_address(const Fields& top, std::string& out) {
  const auto v = top.scalar("bind-address");
  if (!v) return;
  std::string_view text = v->text();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text == "*" || IpAddress::parse(text)) {
    out = text;
  } else {
    top.error(v->place(), quote(text) + " is not an address",
              "write \"*\" for all, or one address of this machine");
  }
}

void read_profile(const Fields& top, General& out) {
  const auto profile = top.map("profile");
  if (!profile) return;
  profile->flag("store-selected", out.store_selected);
  profile->flag("store-fake-ip", out.store_fake_ip);
}

}  // namespace

void read_general(const Fields& top, General& out) {
  top.number("port", out.port);
  top.number("socks-port", out.socks_port);
  top.number("mixed-port", out.mixed_port);
  top.number("redir-port", out.redir_port);
  top.number("tproxy-port", out.tproxy_port);
  top.flag("allow-lan", out.allow_lan);
  read_bind_address(top, out.bind_address);
  out.authentication = read_authentication(top);
  top.prefixes("skip-auth-prefixes", out.skip_auth_prefixes);
  top.prefixes("lan-allowed-ips", out.lan_allowed_ips);
  top.prefixes("lan-disallowed-ips", out.lan_disallowed_ips);
  top.choice("mode", kModes, out.mode);
  top.choice("log-level", kLogLevels, out.log_level);
  top.flag("ipv6", out.ipv6);
  top.flag("tcp-concurrent", out.tcp_concurrent);
  top.device("interface-name", out.interface_name);
  top.number("routing-mark", out.routing_mark);
  bool no_keep_alive = false;
  top.flag("disable-keep-alive", no_keep_alive);
  out.keep_alive = !no_keep_alive;
  top.number("keep-alive-idle", out.keep_alive_idle_s, 0, kLongestKeepAlive_s);
  top.number("keep-alive-interval", out.keep_alive_interval_s, 0, kLongestKeepAlive_s);
  read_profile(top, out);
}

}  // namespace sluice::model
