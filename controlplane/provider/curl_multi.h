// provider/curl_multi.h - libcurl's transfers on our loop, without a thread.
//
//   Loop ── edge-triggered ──> epoll set of our own ── level-triggered ──> libcurl's sockets
//
// libcurl wants to be told again while a socket stays readable, and closes its sockets itself;
// loop/watch.h is edge-triggered and owns what it watches. Hence the set in between, looked at
// until it has nothing more.
//
// Owner: Downloader, while there are transfers: it holds connections and parsed certificates, some
// MiB. Thread: the loop's.
#pragma once

#include <curl/curl.h>

#include <memory>

#include "proto/common/result.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/ready.h"
#include "proto/runtime/loop/timer.h"
#include "proto/runtime/loop/watch.h"

namespace sluice::provider {

/// Gets the end of a transfer; called from inside the loop's turn, never inside add().
class TransferEnd {
 public:
  virtual void ended(CURLcode code) noexcept = 0;

 protected:
  ~TransferEnd() = default;
};

class CurlMulti final : private WatchSink, private Timer, private Ready {
 public:
  /// Errors: no_room, no_descriptors, system.
  static Result<std::unique_ptr<CurlMulti>> make(Loop& loop);
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;
  /// Every transfer must have been removed.
  ~CurlMulti() override;

  /// Starts `easy`, whose CURLOPT_PRIVATE this sets. Not inside a callback of libcurl.
  Status add(CURL* easy, TransferEnd& end) noexcept;
  /// Ends it, if it has not ended. Not inside a callback of libcurl.
  void remove(CURL* easy) noexcept;

 private:
  explicit CurlMulti(Loop& loop) noexcept : loop_(loop) {}
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* known) noexcept;
  static int on_timer(CURLM* multi, long after_ms, void* self) noexcept;

  void on_ready() noexcept override { look(); }
  void run() noexcept override { look(); }
  void fire() noexcept override;
  void look() noexcept;
  /// Tells the owners of transfers that ended.
  void collect() noexcept;

  struct FreeMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };
  Loop& loop_;
  std::unique_ptr<Watch> set_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
};

}  // namespace sluice::provider
