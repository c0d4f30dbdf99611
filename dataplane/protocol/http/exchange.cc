#include "dataplane/protocol/http/exchange.h"

#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::http {

Exchange::Exchange(transport::End& client, SliceQueue& in, HttpUpstream& upstream,
                   ExchangeRequest request) noexcept
    : client_(client),
      in_(in),
      upstream_(upstream),
      request_(request),
      up_reader_(request.body),
      up_writer_(request.body.kind),
      up_done_(request.body.kind == BodyKind::none) {}

bool Exchange::good(const Status& status, Side side) noexcept {
  if (status) return true;
  if (status.error().code == Errc::no_room) {
    starved_ = true;
  } else if (status_) {
    Error error = status.error();
    error.side = side;
    status_ = fail(error);
  }
  return false;
}

Status Exchange::start(std::string_view head) noexcept {
  SliceQueue out;
  Status status =
      out.copy_in(upstream_.end().pool(), as_byte_view(head), upstream_.end().headroom());
  if (!status) return status;
  status = upstream_.end().write(out);
  if (!status && status.error().code != Errc::no_room) return status;
  up_out_ = std::move(out);  // what no layer could seal yet
  upstream_.account(head.size(), 0);
  return {};
}

bool Exchange::step() noexcept {
  starved_ = false;
  bool moved = write_upstream();
  moved = write_client() || moved;
  moved = (status_ && step_up()) || moved;
  moved = (status_ && step_down()) || moved;
  return moved && status_.has_value();
}

/// Hands over what is framed and pushes what is queued. True when anything moved.
bool Exchange::write_upstream() noexcept {
  transport::End& end = upstream_.end();
  const bool pending = !up_out_.empty() || (end.queued() != 0 && end.writable());
  if (up_broken_ || !pending) return false;
  const std::size_t before = up_out_.size() + end.queued();
  const Status written = up_out_.empty() ? end.flush() : end.write(up_out_);
  // An origin that stops reading may have answered already: go on with its response.
  if (!written && written.error().code == Errc::no_room) {
    starved_ = true;
  } else if (!written) {
    up_broken_ = true;
  }
  return up_out_.size() + end.queued() != before;
}

bool Exchange::write_client() noexcept {
  const bool pending =
      !down_head_.empty() || !down_out_.empty() || (client_.queued() != 0 && client_.writable());
  if (!pending) return false;
  good(copy_head(), Side::us);
  const std::size_t before = down_out_.size() + client_.queued();
  good(down_out_.empty() ? client_.flush() : client_.write(down_out_), Side::client);
  return down_out_.size() + client_.queued() != before;
}

/// Reads the client when its bytes are needed, or to notice that it went away. What a client sends
/// ahead of its turn is bounded by one read.
bool Exchange::read_client() noexcept {
  if (client_ended_ || !in_.empty()) return false;
  const auto size = client_.read(in_, transport::kReadBudget);
  if (size) return *size != 0;
  const Errc code = size.error().code;
  if (code == Errc::again) return false;
  if (code == Errc::closed) {
    client_ended_ = true;
    return true;
  }
  good(fail(size.error()), Side::client);
  return false;
}

bool Exchange::step_up() noexcept {
  if (upstream_.end().queued() > transport::kOutMark) return false;
  const bool moved = read_client();
  if (up_done_ || !status_) return moved;
  const std::size_t before = in_.size() + up_payload_.size();
  send_body();
  if (client_ended_ && in_.empty() && !up_done_ && status_ && up_payload_.empty()) end_up();
  return moved || in_.size() + up_payload_.size() != before;
}

void Exchange::send_body() noexcept {
  transport::End& upstream = upstream_.end();
  if (!good(up_reader_.take(in_, up_payload_, client_.pool()), Side::client)) return;
  const std::size_t size = up_payload_.size();
  Status status = up_writer_.put(up_payload_, up_out_, upstream.pool());
  upstream_.account(size - up_payload_.size(), 0);
  if (status && up_reader_.done()) {
    status = up_writer_.finish(up_out_, upstream.pool());
    up_done_ = status.has_value();
  }
  good(status, Side::us);
  if (up_broken_) up_out_.clear();
  write_upstream();
}

/// The client ended its stream while its body was still expected.
void Exchange::end_up() noexcept {
  if (!good(up_reader_.end_of_stream(), Side::client)) return;
  up_done_ = true;
  if (tunnel_ && !up_broken_) up_broken_ = !upstream_.end().finish();
}

bool Exchange::step_down() noexcept {
  if (down_ == Down::done || !down_head_.empty() || client_.queued() > transport::kOutMark)
    return false;
  bool moved = false;
  if (wire_.empty() && !retry_down_) {
    const auto size = upstream_.end().read(wire_, transport::kReadBudget);
    if (!size && size.error().code == Errc::again) return false;
    if (!size && size.error().code == Errc::no_room) {
      starved_ = true;
      return false;
    }
    if (!size) {
      upstream_ended(size.error());
      return true;
    }
    moved = *size != 0;
    heard_ = heard_ || moved;
  }
  const std::size_t before = wire_.size() + down_payload_.size();
  take_response();
  return moved || wire_.size() + down_payload_.size() != before;
}

void Exchange::take_response() noexcept {
  while (status_ && down_ == Down::head && !wire_.empty() && down_head_.empty()) take_head();
  if (status_ && down_ == Down::body && down_head_.empty()) take_body();
}

void Exchange::take_head() noexcept {
  const std::string_view text = as_text(wire_.front());
  const auto size = scanner_.take(text);
  if (!size) {
    good(fail(size.error()), Side::upstream);
    return;
  }
  head_ += text.substr(0, *size);
  wire_.consume(*size);
  if (scanner_.done()) answer_head();
}

void Exchange::answer_head() noexcept {
  const auto head = parse_response_head(head_);
  if (!head) {
    good(fail(head.error()), Side::upstream);
    return;
  }
  upstream_.account(0, head_.size());
  if (head->status == 101) {
    switch_protocols(*head);
  } else if (head->status < 200) {
    pass_informational(*head);
  } else {
    begin_body(*head);
  }
  head_.clear();
  scanner_ = HeadScanner();
}

void Exchange::pass_informational(const ResponseHead& head) noexcept {
  // HTTP/1.0 does not know them (RFC 9110 section 15.2).
  if (request_.client_minor == 0) return;
  to_client(forward_response(head, ResponseOptions{}));
}

void Exchange::switch_protocols(const ResponseHead& head) noexcept {
  if (!request_.upgrade || !up_done_) {
    good(fail(Errc::malformed), Side::upstream);
    return;
  }
  ResponseOptions options;
  options.upgrade = true;
  to_client(forward_response(head, options));
  const BodyShape raw{BodyKind::until_close, 0};
  tunnel_ = true;
  close_client_ = true;
  up_reader_ = BodyReader(raw);
  up_writer_ = BodyWriter(raw.kind);
  up_done_ = false;
  down_reader_ = BodyReader(raw);
  down_writer_ = BodyWriter(raw.kind);
  down_ = Down::body;
}

void Exchange::begin_body(const ResponseHead& head) noexcept {
  const auto shape = response_body(head, request_.method);
  if (!shape) {
    good(fail(shape.error()), Side::upstream);
    return;
  }
  ResponseOptions options;
  options.body = shape->kind;
  const bool open_ended = shape->kind == BodyKind::chunked || shape->kind == BodyKind::until_close;
  if (open_ended)
    options.body = request_.client_minor == 0 ? BodyKind::until_close : BodyKind::chunked;
  // An answer before the end of the request leaves the client's stream at an unknown place.
  close_client_ = !request_.keep_client || options.body == BodyKind::until_close || !up_done_;
  options.close = close_client_;
  options.keep_alive = !close_client_ && request_.client_minor == 0;
  keep_upstream_ = keeps_alive(head) && shape->kind != BodyKind::until_close;
  to_client(forward_response(head, options));
  down_reader_ = BodyReader(*shape);
  down_writer_ = BodyWriter(options.body);
  down_ = shape->kind == BodyKind::none ? Down::done : Down::body;
}

void Exchange::take_body() noexcept {
  retry_down_ = false;
  Status status = down_reader_.take(wire_, down_payload_, upstream_.end().pool());
  if (!status && status.error().code != Errc::no_room) {
    good(status, Side::upstream);
    return;
  }
  const std::size_t size = down_payload_.size();
  if (status) status = down_writer_.put(down_payload_, down_out_, client_.pool());
  upstream_.account(0, size - down_payload_.size());
  const bool ended = status && down_reader_.done();
  if (ended) status = down_writer_.finish(down_out_, client_.pool());
  write_client();
  retry_down_ = !good(status, Side::us);
  if (!ended || retry_down_) return;
  down_ = Down::done;
  if (tunnel_) good(client_.finish(), Side::client);
}

void Exchange::upstream_ended(Error why) noexcept {
  heard_ = heard_ || !head_.empty();
  if (why.code != Errc::closed || down_ == Down::head) {
    good(fail(why), Side::upstream);
    return;
  }
  if (good(down_reader_.end_of_stream(), Side::upstream)) take_body();
}

void Exchange::to_client(std::string_view head) noexcept {
  responded_ = true;
  down_head_ += head;
  write_client();
}

/// As much of what waits in down_head_ as there are slices for. Errors: no_room.
Status Exchange::copy_head() noexcept {
  const std::size_t before = down_out_.size();
  const Status copied =
      down_out_.copy_in(client_.pool(), as_byte_view(down_head_), client_.headroom());
  down_head_.erase(0, down_out_.size() - before);
  return copied;
}

}  // namespace sluice::http
