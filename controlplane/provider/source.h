// provider/source.h - where one provider's bytes come from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/provider/bounds.h"
#include "proto/common/clock.h"

namespace sluice::provider {

enum class Kind : std::uint8_t {
  http,    ///< downloaded; `path` holds the local copy
  file,    ///< `path` is the user's file, read and watched, never written
  inline_  ///< `content` stands in the configuration
};

/// Field name -> values, each sent as a line of its own.
using Headers = std::map<std::string, std::vector<std::string>>;

/// Plain value. Two equal sources need no new Provider.
struct Source {
  std::string name;  ///< the provider's, for messages
  Kind kind = Kind::http;
  std::vector<std::string> urls;   ///< http: mirrors, tried in this order
  std::string path;                ///< absolute, as Places gave it
  std::string content;             ///< inline_
  Millis interval{};               ///< http; 0: fetched only while there is no copy
  Headers headers;                 ///< may hold secrets: never logged
  std::size_t most = kMaxContent;  ///< bytes, decoded
  std::string proxy;               ///< outbound that carries the download; empty: our own sockets
  std::string user_agent;
  bool conditional = true;  ///< http: asks for what changed since only (ETag, Last-Modified)
  friend bool operator==(const Source&, const Source&) = default;
};

/// One sentence that names what cannot work; nothing when all is well.
[[nodiscard]] std::optional<std::string> fault_of(const Source& source);

}  // namespace sluice::provider
