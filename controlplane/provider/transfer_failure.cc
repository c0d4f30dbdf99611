#include "controlplane/provider/transfer_failure.h"

#include "proto/common/error_text.h"

namespace sluice::provider {
namespace {

Errc code_of(CURLcode code) noexcept {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Errc::no_address;
    case CURLE_COULDNT_CONNECT:
      return Errc::refused;
    case CURLE_OPERATION_TIMEDOUT:
      return Errc::timeout;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
      return Errc::truncated;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return Errc::reset;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // an answer that is not HTTP
      return Errc::malformed;
    case CURLE_OUT_OF_MEMORY:
      return Errc::no_room;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
      return Errc::auth_failed;
    default:
      return Errc::system;
  }
}

std::string reason_of(CURLcode code, std::string_view text) {
  switch (code) {
    case CURLE_PARTIAL_FILE:
      return "ended before its announced end";
    case CURLE_GOT_NOTHING:
      return "closed the connection without an answer";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
      if (!text.empty()) return std::string(text);
      break;
    default:
      break;
  }
  return curl_easy_strerror(code);
}

/// What dial.sock answered, RFC 1928 section 6.
FetchFailure refused_by(const std::string& proxy, CURLproxycode reply) {
  const std::string who = proxy.empty() ? "the outbound of the rules " : "proxy \"" + proxy + "\" ";
  switch (reply) {
    case CURLPX_REPLY_NOT_ALLOWED:
      return {{Errc::denied, Side::us},
              who + (proxy.empty() ? "refuses it" : "is not there, or refuses it")};
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
    case CURLPX_REPLY_HOST_UNREACHABLE:
    case CURLPX_REPLY_TTL_EXPIRED:
      return {{Errc::unreachable, Side::upstream}, who + "does not reach it"};
    case CURLPX_REPLY_CONNECTION_REFUSED:
      return {{Errc::refused, Side::upstream}, who + "was refused there"};
    case CURLPX_CLOSED:
      return {{Errc::closed, Side::us}, "got no answer: the data plane hung up"};
    default:
      return {{Errc::refused, Side::upstream}, who + "failed"};
  }
}

}  // namespace

FetchFailure failure_of(CURL* easy, CURLcode code, std::string_view text,
                        const std::string& proxy) {
  long number = 0;
  if (code == CURLE_PROXY) {
    curl_easy_getinfo(easy, CURLINFO_PROXY_ERROR, &number);
    return refused_by(proxy, static_cast<CURLproxycode>(number));
  }
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
  if (code == CURLE_COULDNT_CONNECT && number != 0) {
    const Error error = error_from_errno(static_cast<int>(number), Side::upstream);
    return {error, describe(error)};
  }
  return {{code_of(code), Side::upstream}, reason_of(code, text)};
}

FetchFailure without_data_plane() {
  return {{Errc::closed, Side::us}, "waits for the data plane, which carries it"};
}

FetchFailure larger_than(std::size_t most) {
  return {{Errc::too_large, Side::upstream},
          "is larger than the size limit of " + std::to_string(most) + " bytes"};
}

FetchFailure answered_with(long status, Millis retry_after) {
  const auto detail = static_cast<std::uint16_t>(status);
  return {{Errc::denied, Side::upstream, detail},
          "answered with status " + std::to_string(status),
          retry_after};
}

}  // namespace sluice::provider
