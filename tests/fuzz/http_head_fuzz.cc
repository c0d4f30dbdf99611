// Fuzz: heads and bodies of HTTP. A head that is forwarded must parse again, and a body must give
// the same payload whatever the pieces it comes in.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dataplane/protocol/http/basic_auth.h"
#include "dataplane/protocol/http/forward.h"

namespace {

using namespace sluice;
using namespace sluice::http;

std::string payload_of(BodyShape shape, std::string_view wire, std::size_t piece) {
  static MemoryBudget budget{64 * kBlockBytes};
  static SlicePool pool{budget};
  BodyReader reader(shape);
  SliceQueue in;
  SliceQueue out;
  for (std::size_t at = 0; at < wire.size(); at += piece) {
    if (!in.copy_in(pool, as_byte_view(wire.substr(at, piece)))) std::abort();
    if (!reader.take(in, out, pool)) break;
  }
  std::string text(out.size(), '\0');
  out.peek(std::as_writable_bytes(std::span(text)));
  return text;
}

void forward(std::string_view text, std::string_view body) {
  const auto request = parse_request_head(text);
  if (!request) return;
  if (const auto field = request->fields.find("Proxy-Authorization")) (void)parse_basic(*field);
  const auto shape = request_body(*request);
  const auto target = parse_absolute(request->method, request->target);
  if (!shape) return;
  if (payload_of(*shape, body, 1) != payload_of(*shape, body, 4096)) std::abort();
  if (!target) return;
  const std::string wire = forward_request(*request, *target, *shape);
  const auto again = parse_request_head(wire);
  if (!again || request_body(*again) != shape) std::abort();
  if (again->fields.find("Proxy-Authorization")) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HeadScanner scanner;
  const auto end = scanner.take(text);
  if (!end || !scanner.done()) return 0;
  forward(text.substr(0, *end), text.substr(*end));
  const auto response = parse_response_head(text.substr(0, *end));
  if (!response || !response_body(*response, "GET")) return 0;
  if (!parse_response_head(forward_response(*response, ResponseOptions{}))) std::abort();
  return 0;
}
