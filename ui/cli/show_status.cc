#include <string_view>
#include <unordered_set>
#include <vector>

#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/show.h"
#include "ui/cli/table.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

const char* text_of(pb::CaptureState state) {
  switch (state) {
    case pb::CAPTURE_ON:
      return "on";
    case pb::CAPTURE_FAILED:
      return "failed";
    default:
      return "off";
  }
}

const char* text_of(pb::ListenerKind kind) {
  switch (kind) {
    case pb::LISTENER_HTTP:
      return "http";
    case pb::LISTENER_SOCKS:
      return "socks";
    case pb::LISTENER_REDIR:
      return "redir";
    case pb::LISTENER_TPROXY:
      return "tproxy";
    default:
      return "mixed";
  }
}

const char* state_of(const pb::PlaneStatus& plane) {
  return plane.up() ? "running" : "away";
}

std::string networks_of(const pb::Listener& listener) {
  if (listener.tcp() && listener.udp()) return "tcp udp";
  return listener.tcp() ? "tcp" : listener.udp() ? "udp" : "";
}

void add_listener(JsonWriter& w, const pb::Listener& listener) {
  w.object([&] {
    w.key("name").text(listener.name());
    w.key("type").text(text_of(listener.kind()));
    w.key("address").text(listener.address());
    w.key("tcp").boolean(listener.tcp());
    w.key("udp").boolean(listener.udp());
    w.key("error").text(listener.error());
  });
}

void add_group(JsonWriter& w, const pb::Group& group) {
  w.object([&] {
    w.key("name").text(group.name());
    w.key("type").text(group.type());
    w.key("now").text(group.now());
    w.key("all").texts(group.all());
  });
}

void add_unbuilt(JsonWriter& w, const pb::Unbuilt& unbuilt) {
  w.object([&] {
    w.key("name").text(unbuilt.name());
    w.key("type").text(unbuilt.type());
    w.key("why").text(unbuilt.why());
    w.key("refuses").boolean(unbuilt.refuses());
  });
}

std::string plane_line(const char* title, const pb::PlaneStatus& plane, const Screen& screen) {
  std::string out = std::string(title) + state_of(plane);
  if (!plane.version().empty()) out += ", version " + plane.version();
  if (plane.up() && plane.start_wall_ms() > 0)
    out += ", for " + human_span(screen.now_wall_ms - plane.start_wall_ms());
  return out + "\n";
}

std::string head(const pb::StatusReply& s, const Screen& screen) {
  std::string out = plane_line("data plane     ", s.dataplane(), screen) +
                    plane_line("control plane  ", s.controlplane(), screen);
  out += "generation     " + std::to_string(s.generation()) + ", mode " + s.mode() + "\n";
  out += "configuration  " + s.config_file();
  if (s.confirm_seconds_left() > 0)
    out += ", unconfirmed: taken back in " + std::to_string(s.confirm_seconds_left()) +
           "s; keep it with `sluice config confirm`";
  else if (s.unsaved())
    out += ", what runs is not saved in it";
  else if (!s.file_fault().empty())
    out +=
        ", not usable; the last good one runs until it is repaired and loaded (SIGHUP)\n"
        "               " +
        printable(s.file_fault());
  out += std::string("\ncapture        ") + text_of(s.capture());
  if (!s.capture_error().empty()) out += ": " + s.capture_error();
  out += "\nflows          " + std::to_string(s.open_flows()) + " open, up " +
         human_bytes(s.upload_total()) + ", down " + human_bytes(s.download_total()) + "\n";
  out += "udp            " + std::to_string(s.udp_mappings()) + " mappings, " +
         std::to_string(s.udp_evicted()) + " made room, " + std::to_string(s.udp_dropped()) +
         " datagrams dropped\n";
  out += "memory         " + human_bytes(s.memory_used()) + " of " + human_bytes(s.memory_bound()) +
         " in pools\n";
  for (const std::string& dns : s.dns()) out += "dns            " + dns + "\n";
  if (!s.missing().empty()) out += "missing        " + s.missing() + "\n";
  return out;
}

/// Names that carry a mark wherever they are shown, so that whoever meets refusals sees why.
class Marks {
 public:
  explicit Marks(const pb::StatusReply& s) {
    for (const pb::Unbuilt& unbuilt : s.unbuilt()) names_.insert(unbuilt.name());
  }
  [[nodiscard]] std::string on(const std::string& name, const std::string& text) const {
    return names_.contains(name) ? text + "*" : text;
  }
  [[nodiscard]] std::string on(const std::string& name) const { return on(name, name); }

 private:
  std::unordered_set<std::string_view> names_;
};

std::string groups_table(const pb::StatusReply& s, const Screen& screen) {
  const Marks marks(s);
  std::vector<std::vector<std::string>> rows;
  for (const pb::Group& g : s.groups()) {
    std::string all;
    for (const std::string& member : g.all()) all += (all.empty() ? "" : ", ") + marks.on(member);
    rows.push_back({g.name(), marks.on(g.name(), g.type()), marks.on(g.now()), all});
  }
  return layout({{"GROUP", Align::left, true},
                 {"TYPE"},
                 {"NOW", Align::left, true},
                 {"MEMBERS", Align::left, true}},
                rows, screen.width);
}

std::string unbuilt_table(const pb::StatusReply& s, const Screen& screen) {
  std::vector<std::vector<std::string>> rows;
  for (const pb::Unbuilt& u : s.unbuilt())
    rows.push_back(
        {u.name(), u.type(), u.why(), u.refuses() ? "flows to it are refused" : "acts as select"});
  return layout({{"* NOT BUILT YET", Align::left, true},
                 {"TYPE"},
                 {"WHY", Align::left, true},
                 {"WHAT HAPPENS"}},
                rows, screen.width);
}

}  // namespace

std::string status_json(const pb::StatusReply& s) {
  JsonWriter w;
  w.object([&] {
    w.key("generation").number(s.generation());
    w.key("dataplane").text(state_of(s.dataplane()));
    w.key("controlplane").text(state_of(s.controlplane()));
    w.key("capture").text(text_of(s.capture()));
    w.key("captureError").text(s.capture_error());
    w.key("listeners").array([&] {
      for (const pb::Listener& listener : s.listeners()) add_listener(w, listener);
    });
    w.key("groups").array([&] {
      for (const pb::Group& group : s.groups()) add_group(w, group);
    });
    w.key("mode").text(s.mode());
    w.key("dns").texts(s.dns());
    w.key("flows").number(s.open_flows());
    w.key("uploadTotal").number(s.upload_total());
    w.key("downloadTotal").number(s.download_total());
    w.key("udpMappings").number(s.udp_mappings());
    w.key("udpEvicted").number(s.udp_evicted());
    w.key("udpDropped").number(s.udp_dropped());
    w.key("memoryUsed").number(s.memory_used());
    w.key("memoryBound").number(s.memory_bound());
    w.key("dataplaneVersion").text(s.dataplane().version());
    w.key("controlplaneVersion").text(s.controlplane().version());
    w.key("configFile").text(s.config_file());
    w.key("unsaved").boolean(s.unsaved());
    w.key("fileFault").text(s.file_fault());
    w.key("confirmSecondsLeft").number(std::uint64_t{s.confirm_seconds_left()});
    w.key("missing").text(s.missing());
    w.key("unbuilt").array([&] {
      for (const pb::Unbuilt& unbuilt : s.unbuilt()) add_unbuilt(w, unbuilt);
    });
  });
  return w.str() + "\n";
}

std::string status_text(const pb::StatusReply& s, const Screen& screen) {
  std::string out = head(s, screen);
  if (s.listeners_size() > 0) {
    std::vector<std::vector<std::string>> rows;
    for (const pb::Listener& l : s.listeners())
      rows.push_back({l.name(), text_of(l.kind()), l.address(),
                      l.error().empty() ? networks_of(l) : "not open: " + l.error()});
    out +=
        "\n" +
        layout(
            {{"LISTENER", Align::left, true}, {"TYPE"}, {"ADDRESS"}, {"OPEN", Align::left, true}},
            rows, screen.width);
  }
  if (s.groups_size() > 0) out += "\n" + groups_table(s, screen);
  if (s.unbuilt_size() > 0) out += "\n" + unbuilt_table(s, screen);
  return out;
}

}  // namespace sluice::cli
