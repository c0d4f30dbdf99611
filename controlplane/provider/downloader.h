// provider/downloader.h - downloads over http and https, some at a time, on the loop.
//
//   fetch: a turn ─> [name ─> addresses] ─> request ─> redirect? again ─> body within its limit
//
// Through a proxy: SOCKS5 on dial.sock, whose user name picks the outbound; the data plane then
// looks the name up. Else: sockets of our own to addresses from NameLookup.
// Owner: app, for the process. Thread: the loop's.
#pragma once

#include <memory>
#include <string>

#include "controlplane/provider/bounds.h"
#include "controlplane/provider/curl_multi.h"
#include "controlplane/provider/fetcher.h"
#include "controlplane/provider/name_lookup.h"
#include "controlplane/provider/transfer.h"
#include "controlplane/provider/turns.h"
#include "controlplane/provider/url.h"

namespace sluice::provider {

/// How long a download may take; a parameter, since libcurl's time cannot be stepped.
struct Patience {
  Millis silence = kSilence;   ///< without a byte
  Millis whole = kWholeFetch;  ///< with redirects, from its turn on
};

class Downloader final : public Fetcher {
 public:
  /// `names` outlives it. `dial_socket`: path of the data plane's dial.sock.
  Downloader(Loop& loop, NameLookup& names, std::string dial_socket, Patience patience = {})
      : loop_(loop),
        names_(names),
        dial_socket_(std::move(dial_socket)),
        patience_(patience),
        turns_(loop, kParallelFetches) {}

  [[nodiscard]] Task<FetchOutcome> fetch(FetchRequest request, FetchSink& sink) override;

 private:
  /// Keeps libcurl's state while somebody downloads, so that hops share connections.
  class Lease;
  struct Hop;

  Task<FetchOutcome> follow(const FetchRequest& request, FetchSink& sink);
  Task<std::expected<std::string, FetchFailure>> exchange(Hop& hop, FetchSink& sink);
  Task<std::expected<TransferOptions, FetchFailure>> plan(const Hop& hop);

  Loop& loop_;
  NameLookup& names_;
  const std::string dial_socket_;
  const Patience patience_;
  Turns turns_;
  std::unique_ptr<CurlMulti> multi_;
  unsigned leases_ = 0;
};

}  // namespace sluice::provider
