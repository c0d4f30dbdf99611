// provider/downloader.h - downloads over http and https, some at a time, on the loop.
//
//   fetch: a turn ─> [name ─> addresses] ─> request ─> redirect? again ─> body within its limit
//
// By SOCKS5 on dial.sock, whose user name, if there is one, picks the outbound; the data plane then
// looks the name up. Where no data plane listens, or it says that it has no rules yet, and no proxy
// is named: sockets of our own to addresses from NameLookup.
// The process ignores SIGPIPE: TLS is written by OpenSSL, which knows no MSG_NOSIGNAL.
// Owner: app, for the process. Thread: the loop's.
#pragma once

#include <memory>
#include <string>

#include "controlplane/provider/bounds.h"
#include "controlplane/provider/curl_multi.h"
#include "controlplane/provider/fetcher.h"
#include "controlplane/provider/name_lookup.h"
#include "controlplane/provider/transfer.h"
#include "controlplane/provider/trust.h"
#include "controlplane/provider/turns.h"
#include "controlplane/provider/url.h"
#include "controlplane/provider/work.h"

namespace sluice::provider {

/// How long a download may take; a parameter, since libcurl's time cannot be stepped.
struct Patience {
  Millis silence = kSilence;   ///< without a byte
  Millis whole = kWholeFetch;  ///< with redirects, from its turn on
};

struct DownloaderOptions {
  std::string dial_socket;                            ///< path of the data plane's dial.sock
  std::string certificates = machine_certificates();  ///< file of those that https is judged by
  Patience patience;
};

class Downloader final : public Fetcher {
 public:
  /// What is referred to outlives it.
  Downloader(Loop& loop, Work& work, NameLookup& names, DownloaderOptions options)
      : loop_(loop),
        work_(work),
        names_(names),
        options_(std::move(options)),
        turns_(loop, kParallelFetches),
        trust_turns_(loop, 1) {}

  [[nodiscard]] Task<FetchOutcome> fetch(FetchRequest request, FetchSink& sink) override;

 private:
  /// Keeps libcurl's state and the certificates while somebody downloads, so that hops share them.
  class Lease;
  struct Hop;

  Task<FetchOutcome> follow(const FetchRequest& request, FetchSink& sink);
  Task<std::expected<std::string, FetchFailure>> exchange(Hop& hop, FetchSink& sink);
  Task<std::expected<std::string, FetchFailure>> attempt(Hop& hop, FetchSink& sink);
  Task<std::expected<TransferOptions, FetchFailure>> plan(const Hop& hop);
  Task<Status> load_trust();

  Loop& loop_;
  Work& work_;
  NameLookup& names_;
  const DownloaderOptions options_;
  Turns turns_;
  Turns trust_turns_;  ///< so that it is loaded once
  std::unique_ptr<CurlMulti> multi_;
  std::shared_ptr<const Trust> trust_;
  unsigned leases_ = 0;
};

}  // namespace sluice::provider
