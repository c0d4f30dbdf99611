// provider/fetcher.h - one download, as its users see it.
//
// Implemented by Downloader, and by fakes in tests. Thread: the loop's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "controlplane/provider/source.h"
#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/task.h"

namespace sluice::provider {

/// What a server said about a version of its content, verbatim; empty: it said nothing.
struct Validators {
  std::string etag;
  std::string last_modified;
  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }
  friend bool operator==(const Validators&, const Validators&) = default;
};

struct FetchRequest {
  std::string url;
  Headers headers;
  std::string user_agent;
  std::string proxy;      ///< outbound; empty: as the rules of the data plane say
  Validators validators;  ///< of what we have; empty: whatever is there is wanted
  std::size_t most = 0;   ///< bytes, decoded
};

struct FetchReply {
  bool not_modified = false;  ///< what the validators describe is current; nothing else is filled
  std::string body;           ///< decoded
  Validators validators;
};

struct FetchFailure {
  /// timeout, refused, unreachable, reset, no_address; truncated, too_large, malformed,
  /// unsupported; denied (an HTTP status, in `detail`; side us: by an outbound or the rules);
  /// closed (the data plane, side us); loop (redirects); system.
  Error error;
  std::string reason;    ///< "answered with status 404"; no secrets
  Millis retry_after{};  ///< the server's wish; 0: none
};
using FetchOutcome = std::expected<FetchReply, FetchFailure>;

/// Bytes so far, decoded, and how many there will be; 0: not known.
struct FetchProgress {
  std::uint64_t size = 0;
  std::uint64_t total = 0;
};

class FetchSink {
 public:
  virtual void fetched(const FetchProgress& progress) = 0;

 protected:
  ~FetchSink() = default;
};

class Fetcher {
 public:
  Fetcher() = default;
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  virtual ~Fetcher() = default;

  /// Ends by itself, within kWholeFetch once it has a turn. Destroying the task ends the transfer.
  /// `sink` outlives the task. The fetcher outlives it too.
  [[nodiscard]] virtual Task<FetchOutcome> fetch(FetchRequest request, FetchSink& sink) = 0;
};

}  // namespace sluice::provider
