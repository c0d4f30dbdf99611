#include "dataplane/protocol/http/client.h"

#include <string>
#include <utility>

#include "dataplane/protocol/http/basic_auth.h"
#include "dataplane/protocol/http/head.h"

namespace sluice::http {
namespace {

std::string connect_head(const Destination& to, const ClientOptions& options) {
  const std::string authority = to.to_string();
  std::string out = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  if (!options.user.empty() || !options.password.empty())
    out += "Proxy-Authorization: " + format_basic(options.user, options.password) + "\r\n";
  out += "Proxy-Connection: keep-alive\r\n\r\n";
  return out;
}

Status judge(std::string_view text) noexcept {
  const auto head = parse_response_head(text);
  if (!head) return fail(Error{head.error().code, Side::upstream});
  if (head->status >= 200 && head->status < 300) return {};
  const Errc code = head->status == 407 ? Errc::auth_failed : Errc::refused;
  return fail(Error{code, Side::upstream, head->status, 0});
}

/// Reads one head byte-exactly; informational ones are skipped.
Task<Result<std::string>> read_response(transport::End& end, SliceQueue& in, Until until) {
  std::string head;
  HeadScanner scanner;
  unsigned skipped = 0;
  for (;;) {
    while (!in.empty() && !scanner.done()) {
      const std::string_view text = as_text(in.front());
      const Result<std::size_t> size = scanner.take(text);
      if (!size) co_return fail(size.error());
      head += text.substr(0, *size);
      in.consume(*size);
    }
    if (scanner.done()) {
      const Result<ResponseHead> parsed = parse_response_head(head);
      const bool informational = parsed && parsed->status < 200 && parsed->status != 101;
      if (!informational) co_return std::move(head);
      if (++skipped > kMaxInformational) co_return fail(Errc::malformed);
      head.clear();
      scanner = HeadScanner();
      continue;
    }
    const Status more = co_await transport::fill(end, in, until);
    if (!more) co_return fail(more.error());
  }
}

}  // namespace

Task<Status> connect_through(transport::End& end, const Destination& to, ClientOptions options,
                             Until until) {
  const std::string request = connect_head(to, options);
  const Status sent = co_await transport::send(end, as_byte_view(request), until);
  if (!sent) co_return fail(Error{sent.error().code, Side::upstream, 0, sent.error().sys});
  SliceQueue in;
  const Result<std::string> head = co_await read_response(end, in, until);
  if (!head) co_return fail(Error{head.error().code, Side::upstream, 0, head.error().sys});
  const Status verdict = judge(*head);
  if (verdict && !in.empty()) end.unread(std::move(in));
  co_return verdict;
}

}  // namespace sluice::http
