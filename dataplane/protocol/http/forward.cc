#include "dataplane/protocol/http/forward.h"

#include <algorithm>
#include <array>
#include <vector>

#include "proto/common/text.h"

namespace sluice::http {
namespace {

constexpr std::array<std::string_view, 10> kHopFields{"Connection",
                                                      "Proxy-Connection",
                                                      "Proxy-Authorization",
                                                      "Proxy-Authenticate",
                                                      "Keep-Alive",
                                                      "TE",
                                                      "Trailer",
                                                      "Trailers",
                                                      "Transfer-Encoding",
                                                      "Upgrade"};

bool is_hop_field(std::string_view name) noexcept {
  return std::ranges::any_of(kHopFields, [name](std::string_view f) { return iequals(f, name); });
}

/// Which fields of a head go on. The head is looked through once, however many fields it has.
class Filter {
 public:
  Filter(Fields fields, BodyKind body, bool drop_host)
      : framed_anew_(body == BodyKind::chunked), drop_host_(drop_host) {
    while (const auto field = fields.next()) {
      framed_anew_ = framed_anew_ || iequals(field->name, "Transfer-Encoding");
      if (!iequals(field->name, "Connection")) continue;
      List names(field->value);
      while (const auto name = names.next()) named_.push_back(*name);
    }
  }
  [[nodiscard]] bool keeps(const Field& field) const noexcept {
    if (is_hop_field(field.name)) return false;
    if (drop_host_ && iequals(field.name, "Host")) return false;
    // The length beside a body that is framed anew must not survive; no other can be named away.
    if (iequals(field.name, "Content-Length")) return !framed_anew_;
    // A field that Connection names is for this hop only.
    return std::ranges::none_of(
        named_, [&field](std::string_view name) { return iequals(name, field.name); });
  }

 private:
  bool framed_anew_;
  bool drop_host_;
  std::vector<std::string_view> named_;  ///< by Connection; few (kMaxConnection)
};

void add(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

/// Content-Length may come several times with one value; once is enough.
void copy_fields(std::string& out, Fields fields, const Filter& filter) {
  bool has_length = false;
  while (const auto field = fields.next()) {
    if (!filter.keeps(*field)) continue;
    const bool length = iequals(field->name, "Content-Length");
    if (!length || !has_length) add(out, field->name, field->value);
    has_length = has_length || length;
  }
}

void add_upgrade(std::string& out, const Fields& fields) {
  const auto protocol = fields.find("Upgrade");
  if (!protocol) return;
  add(out, "Connection", "Upgrade");
  add(out, "Upgrade", *protocol);
}

}  // namespace

bool wants_upgrade(const RequestHead& head) noexcept {
  return head.minor == 1 && head.fields.has_token("Connection", "upgrade") &&
         head.fields.find("Upgrade").has_value();
}

bool keeps_alive(const RequestHead& head) noexcept {
  const Fields& f = head.fields;
  if (f.has_token("Connection", "close") || f.has_token("Proxy-Connection", "close")) return false;
  return head.minor == 1 || f.has_token("Connection", "keep-alive") ||
         f.has_token("Proxy-Connection", "keep-alive");
}

bool keeps_alive(const ResponseHead& head) noexcept {
  if (head.fields.has_token("Connection", "close")) return false;
  return head.minor == 1 || head.fields.has_token("Connection", "keep-alive");
}

std::string forward_request(const RequestHead& head, const AbsoluteTarget& target, BodyShape body) {
  std::string out(head.method);
  out += ' ';
  out += target.path;
  out += " HTTP/1.1\r\n";
  add(out, "Host", target.host);
  copy_fields(out, head.fields, Filter(head.fields, body.kind, true));
  if (body.kind == BodyKind::chunked) add(out, "Transfer-Encoding", "chunked");
  if (wants_upgrade(head)) add_upgrade(out, head.fields);
  out += "\r\n";
  return out;
}

std::string forward_response(const ResponseHead& head, const ResponseOptions& options) {
  std::string out = "HTTP/1.1 ";
  out += std::to_string(head.status);
  out += ' ';
  out += head.reason;
  out += "\r\n";
  copy_fields(out, head.fields, Filter(head.fields, options.body, false));
  if (options.body == BodyKind::chunked) add(out, "Transfer-Encoding", "chunked");
  if (options.upgrade) add_upgrade(out, head.fields);
  if (options.close) add(out, "Connection", "close");
  if (options.keep_alive) add(out, "Connection", "keep-alive");
  out += "\r\n";
  return out;
}

}  // namespace sluice::http
