#include "ui/cli/human.h"
#include "ui/cli/json_writer.h"
#include "ui/cli/show.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

const char* text_of(pb::LogLevel level) {
  switch (level) {
    case pb::LOG_DEBUG:
      return "debug";
    case pb::LOG_WARNING:
      return "warning";
    case pb::LOG_ERROR:
      return "error";
    default:
      return "info";
  }
}

}  // namespace

std::string log_text(const pb::LogBatch& batch) {
  std::string out;
  if (batch.dropped() > 0)
    out += "(" + counted(batch.dropped(), "line") + " left out: this reader was too slow)\n";
  for (const pb::LogRecord& r : batch.records())
    out += rfc3339(r.wall_ms()) + " " + text_of(r.level()) + " " + r.plane() + "/" +
           printable(r.component()) + ": " + printable(r.text()) + "\n";
  return out;
}

std::string log_json(const pb::LogBatch& batch) {
  std::string out;
  if (batch.dropped() > 0) {
    JsonWriter w;
    w.object([&] { w.key("dropped").number(batch.dropped()); });
    out += w.str() + "\n";
  }
  for (const pb::LogRecord& r : batch.records()) {
    JsonWriter w;
    w.object([&] {
      w.key("time").text(rfc3339(r.wall_ms()));
      w.key("level").text(text_of(r.level()));
      w.key("plane").text(r.plane());
      w.key("component").text(r.component());
      w.key("message").text(r.text());
    });
    out += w.str() + "\n";
  }
  return out;
}

std::string version_text(const pb::VersionReply* router) {
  std::string out = "sluice         " SLUICE_VERSION "\n";
  if (router == nullptr) return out + "router         none is running, or it may not be asked\n";
  out += "control plane  " + router->controlplane() + "\n";
  out += "data plane     " + (router->dataplane().empty() ? "away" : router->dataplane()) + "\n";
  return out + "contract       " + std::to_string(router->contract()) + "\n";
}

std::string version_json(const pb::VersionReply* router) {
  JsonWriter w;
  w.object([&] {
    w.key("sluice").text(SLUICE_VERSION);
    w.key("controlplane").text(router == nullptr ? "" : router->controlplane());
    w.key("dataplane").text(router == nullptr ? "" : router->dataplane());
    w.key("contract").number(std::uint64_t{router == nullptr ? 0 : router->contract()});
  });
  return w.str() + "\n";
}

}  // namespace sluice::cli
