#include "dataplane/protocol/http/reply.h"

namespace sluice::http {

std::string_view reason_of(std::uint16_t status) noexcept {
  switch (status) {
    case 400:
      return "400 Bad Request";
    case 403:
      return "403 Forbidden";
    case 407:
      return "407 Proxy Authentication Required";
    case 408:
      return "408 Request Timeout";
    case 431:
      return "431 Request Header Fields Too Large";
    case 503:
      return "503 Service Unavailable";
    case 504:
      return "504 Gateway Timeout";
    default:
      return "502 Bad Gateway";
  }
}

std::string format_reply(const Reply& reply) {
  const std::string_view reason = reason_of(reply.status);
  std::string body;
  if (reply.with_body) {
    body = reason;
    if (!reply.detail.empty()) (body += ": ") += reply.detail;
    body += "\r\n";
  }
  std::string out = reply.minor == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out += reason;
  out += "\r\n";
  if (reply.status == 407) out += "Proxy-Authenticate: Basic realm=\"proxy\"\r\n";
  if (!body.empty()) out += "Content-Type: text/plain; charset=utf-8\r\n";
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (reply.close) out += "Connection: close\r\n";
  if (!reply.close && reply.minor == 0) out += "Connection: keep-alive\r\n";
  out += "\r\n";
  out += body;
  return out;
}

std::uint16_t status_for(const Error& error) noexcept {
  switch (error.code) {
    case Errc::denied:
    case Errc::loop:
    case Errc::not_built:
      return 403;
    case Errc::timeout:
      return 504;
    // This machine is out of something, not the origin.
    case Errc::no_room:
    case Errc::no_descriptors:
      return 503;
    default:
      return 502;
  }
}

}  // namespace sluice::http
