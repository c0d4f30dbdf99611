// provider/transfer.h - one request and its answer: no redirect is followed, nothing is retried.
//
// The user, a coroutine, sleeps on moved(), looks, and sleeps again: nothing of it runs inside
// libcurl, so destroying the transfer is possible wherever the user runs.
// Owner: that coroutine. Thread: the loop's.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/provider/curl_multi.h"
#include "controlplane/provider/fetcher.h"
#include "controlplane/provider/trust.h"
#include "controlplane/provider/unzip.h"
#include "controlplane/provider/url.h"
#include "proto/common/address.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::provider {

struct TransferOptions {
  Url url;
  const FetchRequest* request = nullptr;  ///< outlives the transfer
  /// Path of dial.sock: the data plane carries it, by the request's proxy or by its rules. Empty:
  /// our own sockets.
  std::string dial_socket;
  std::vector<IpAddress> addresses;    ///< of url.host, for our own sockets
  std::shared_ptr<const Trust> trust;  ///< for https
  bool foreign = false;                ///< another origin than the first one: no secrets
};

class Transfer final : private TransferEnd {
 public:
  /// Errors: no_room (libcurl refuses an option or has no memory).
  static Result<std::unique_ptr<Transfer>> start(CurlMulti& multi, Loop& loop,
                                                 TransferOptions options);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  /// Set when bytes or header lines came, and at the end.
  [[nodiscard]] Event& moved() noexcept { return moved_; }
  [[nodiscard]] bool ended() const noexcept { return code_.has_value(); }
  [[nodiscard]] FetchProgress progress() const noexcept;

  // Needs ended().
  /// The data plane, which was to carry it, is not there, or says that it has no rules yet. Not one
  /// that hangs up: its rules may have decided so, or be about to.
  [[nodiscard]] bool lacks_data_plane() const noexcept;
  /// Nothing when a whole answer came, whatever its status.
  [[nodiscard]] std::optional<FetchFailure> failure() const;
  [[nodiscard]] long status() const noexcept;
  /// Absolute, with redirect statuses that name a place; else empty.
  [[nodiscard]] std::string redirect() const;
  [[nodiscard]] Millis retry_after() const noexcept;
  [[nodiscard]] Validators validators() const;
  [[nodiscard]] std::string take_body() noexcept { return std::move(body_); }

 private:
  /// Why we ended it ourselves.
  enum class Stop : std::uint8_t { none, too_large, encoding, damaged, enough };

  Transfer(CurlMulti& multi, Loop& loop, TransferOptions options)
      : multi_(multi), moved_(loop), options_(std::move(options)) {}
  [[nodiscard]] bool prepare();
  [[nodiscard]] bool prepare_route();
  [[nodiscard]] bool prepare_trust();
  [[nodiscard]] bool prepare_headers();
  [[nodiscard]] bool add_header(const std::string& name, const std::string& value);
  template <class T>
  [[nodiscard]] bool set(CURLoption option, T value) noexcept {
    return curl_easy_setopt(easy_.get(), option, value) == CURLE_OK;
  }
  [[nodiscard]] std::string header(const char* name) const;

  [[nodiscard]] bool keep(std::string_view bytes);
  [[nodiscard]] bool pass_over(std::size_t count) noexcept;
  static CURLcode on_tls(CURL* easy, void* context, void* self) noexcept;
  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* self) noexcept;
  static std::size_t on_header(char* line, std::size_t, std::size_t count, void* self) noexcept;
  void ended(CURLcode code) noexcept override;

  struct FreeEasy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;
  static bool append(List& list, const std::string& line);

  CurlMulti& multi_;
  Event moved_;
  TransferOptions options_;
  List headers_;
  List addresses_;
  std::array<char, CURL_ERROR_SIZE> text_{};
  std::string body_;
  std::size_t passed_over_ = 0;  ///< bytes of a page that is not kept
  Stop stop_ = Stop::none;
  bool head_whole_ = false;
  std::optional<Unzip> unzip_;  ///< the body is compressed
  std::optional<CURLcode> code_;
  std::unique_ptr<CURL, FreeEasy> easy_;  // first to go: it points at what is above
};

}  // namespace sluice::provider
