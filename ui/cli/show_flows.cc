#include <vector>

#include "proto/common/text.h"
#include "proto/contract/rule_type.h"
#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/show.h"
#include "ui/cli/table.h"

namespace sluice::cli {
namespace {

/// As dashboards spell it.
const char* text_of(pb::InboundType type) {
  switch (type) {
    case pb::INBOUND_HTTP:
      return "HTTP";
    case pb::INBOUND_HTTPS:
      return "HTTPS";
    case pb::INBOUND_SOCKS4:
      return "Socks4";
    case pb::INBOUND_REDIR:
      return "Redir";
    case pb::INBOUND_TPROXY:
      return "TProxy";
    case pb::INBOUND_INNER:
      return "Inner";
    default:
      return "Socks5";
  }
}

const char* text_of(pb::DnsMode mode) {
  switch (mode) {
    case pb::DNS_FAKE_IP:
      return "fake-ip";
    case pb::DNS_MAPPING:
      return "redir-host";
    case pb::DNS_HOSTS:
      return "hosts";
    default:
      return "normal";
  }
}

const char* text_of(pb::Network network) {
  return network == pb::NETWORK_UDP ? "udp" : "tcp";
}

std::string join(const pb::Endpoint& endpoint) {
  return join_host_port(endpoint.ip(), static_cast<std::uint16_t>(endpoint.port()));
}

void add_metadata(JsonWriter& w, const pb::Flow& f) {
  w.object([&] {
    w.key("network").text(text_of(f.network()));
    w.key("type").text(text_of(f.inbound_type()));
    w.key("sourceIP").text(f.source().ip());
    w.key("destinationIP").text(f.destination().ip());
    w.key("sourcePort").text(std::to_string(f.source().port()));
    w.key("destinationPort").text(std::to_string(f.destination().port()));
    w.key("inboundIP").text(f.inbound().ip());
    w.key("inboundPort").text(std::to_string(f.inbound().port()));
    w.key("inboundName").text(f.inbound_name());
    w.key("inboundUser").text(f.user());
    w.key("host").text(f.host());
    w.key("dnsMode").text(text_of(f.dns_mode()));
    w.key("remoteDestination").text(f.remote());
    w.key("sniffHost").text(f.sniff_host());
    w.key("sourceName").text(f.client_name());
    w.key("sourceMAC").text(f.client_mac());
  });
}

void add_connection(JsonWriter& w, const pb::Flow& f) {
  w.object([&] {
    w.key("id").text(std::to_string(f.id()));
    w.key("metadata");
    add_metadata(w, f);
    w.key("upload").number(f.upload());
    w.key("download").number(f.download());
    if (f.network() == pb::NETWORK_UDP) {
      w.key("uploadPackets").number(f.upload_packets());
      w.key("downloadPackets").number(f.download_packets());
    }
    w.key("start").text(rfc3339(f.start_wall_ms()));
    w.key("chains").texts(f.chains());
    w.key("rule").text(f.rule());
    w.key("rulePayload").text(f.rule_payload());
  });
}

std::string destination_of(const pb::Flow& f) {
  if (f.host().empty() && !f.sniff_host().empty())
    return join(f.destination()) + " (" + f.sniff_host() + ")";
  if (f.host().empty()) return join(f.destination());
  return join_host_port(f.host(), static_cast<std::uint16_t>(f.destination().port()));
}

/// From the group that the rule names to the leaf: the way a user thinks of it.
std::string way_of(const pb::Flow& f) {
  std::string out;
  for (int i = f.chains_size() - 1; i >= 0; --i) out += (out.empty() ? "" : " > ") + f.chains(i);
  return out;
}

std::string rule_of(const pb::Flow& f) {
  std::string out(contract::written_type(f.rule()));
  return f.rule_payload().empty() ? out : out + "," + f.rule_payload();
}

std::vector<std::string> row_of(const pb::Flow& f, const Screen& screen) {
  return {std::to_string(f.id()),
          text_of(f.network()),
          join(f.source()),
          destination_of(f),
          rule_of(f),
          way_of(f),
          human_bytes(f.upload()),
          human_bytes(f.download()),
          human_span(screen.now_wall_ms - f.start_wall_ms())};
}

}  // namespace

std::string flows_json(const pb::FlowTable& table) {
  JsonWriter w;
  w.object([&] {
    w.key("downloadTotal").number(table.download_total());
    w.key("uploadTotal").number(table.upload_total());
    w.key("connections").array([&] {
      for (const pb::Flow& flow : table.flows()) add_connection(w, flow);
    });
  });
  return w.str() + "\n";
}

std::string closed_json(const pb::CloseFlowsReply& reply) {
  JsonWriter w;
  w.object([&] { w.key("closed").number(std::uint64_t{reply.closed()}); });
  return w.str() + "\n";
}

std::string selected_json(const pb::SelectRequest& done) {
  JsonWriter w;
  w.object([&] {
    w.key("group").text(done.group());
    w.key("now").text(done.name());
  });
  return w.str() + "\n";
}

std::string flows_text(const pb::FlowTable& table, const Screen& screen) {
  std::vector<std::vector<std::string>> rows;
  for (const pb::Flow& flow : table.flows()) rows.push_back(row_of(flow, screen));
  return layout({{"ID", Align::right},
                 {"NET"},
                 {"SOURCE", Align::left, true},
                 {"DESTINATION", Align::left, true},
                 {"RULE", Align::left, true},
                 {"WAY", Align::left, true},
                 {"UP", Align::right},
                 {"DOWN", Align::right},
                 {"AGE", Align::right}},
                rows, screen.width);
}

std::string flows_summary(const pb::FlowTable& table, const pb::FlowTable& before,
                          std::int64_t span_ms) {
  const auto part = [&](const char* what, std::uint64_t total, std::uint64_t former) {
    std::string out = std::string(what) + " " + human_bytes(total);
    // A restarted data plane counts from zero: then there is no rate yet.
    if (span_ms > 0 && total >= former) out += " (" + human_rate(total - former, span_ms) + ")";
    return out;
  };
  return counted(static_cast<std::size_t>(table.flows_size()), "flow") +
         "; all since the data plane started: " +
         part("up", table.upload_total(), before.upload_total()) + ", " +
         part("down", table.download_total(), before.download_total()) + "\n";
}

}  // namespace sluice::cli
