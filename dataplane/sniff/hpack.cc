#include "dataplane/sniff/hpack.h"

#include <array>

#include "dataplane/sniff/huffman.h"
#include "dataplane/sniff/limits.h"

namespace sluice::sniff {
namespace {

/// What a field's name means for the search.
enum class Name : std::uint8_t { authority, method, protocol, pseudo, host, regular, seen };

constexpr std::uint32_t kLastStatic = 61;
constexpr std::uint32_t kMaxInteger = 1U << 20;  // far above a block

/// RFC 7541 appendix A: which of the static entries matter.
Name static_name(std::uint32_t index) noexcept {
  if (index == 1) return Name::authority;
  if (index == 2 || index == 3) return Name::method;
  if (index <= 14) return Name::pseudo;
  if (index == 38) return Name::host;
  return index <= kLastStatic ? Name::regular : Name::seen;
}

Name literal_name(std::string_view text) noexcept {
  if (text == ":authority") return Name::authority;
  if (text == ":method") return Name::method;
  if (text == ":protocol") return Name::protocol;
  if (text.starts_with(':')) return Name::pseudo;
  return text == "host" ? Name::host : Name::regular;
}

/// Names and methods that matter are not longer.
constexpr std::size_t kMaxWord = 12;

/// RFC 7541 section 5.1, the first byte's low `bits` given. More than kMaxInteger: `bad`.
std::uint32_t read_integer(PieceReader& in, std::uint8_t first, unsigned bits, bool& bad) noexcept {
  const std::uint32_t most = (1U << bits) - 1;
  std::uint32_t value = first & most;
  if (value < most) return value;
  for (unsigned shift = 0; in.good(); shift += 7) {
    const std::uint32_t byte = in.u8();
    if (shift > 14) bad = true;
    if (bad) break;
    value += (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  bad = bad || value > kMaxInteger;
  return value;
}

/// A string of the block, as far as it matters: longer ones, and those that hold no name, are
/// empty.
class Text {
 public:
  /// RFC 7541 section 5.2: huffman(1 bit) size(7 bits …) | bytes. One of more than `most` bytes, as
  /// they are coded, is stepped over: decoding is the dear part. False: garbled.
  bool read(PieceReader& in, std::size_t most) noexcept {
    const std::uint8_t first = in.u8();
    bool bad = false;
    const std::size_t size = read_integer(in, first, 7, bad);
    if (bad) return false;
    if (size > most) {
      in.skip(size);
    } else if ((first & 0x80) != 0) {
      read_coded(in, size);
    } else {
      in.copy(std::as_writable_bytes(std::span(text_)).first(size));
      size_ = in.good() ? size : 0;
    }
    return true;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

  static constexpr std::size_t kMost = kMaxName + 8;  // a name with its port

 private:
  /// Waits for the whole string: what has come of it would be decoded at each look.
  void read_coded(PieceReader& in, std::size_t size) noexcept {
    std::array<std::byte, kMost> room;
    const ByteSpan coded = ByteSpan(room).first(size);
    in.copy(coded);
    if (in.good() && !decode(coded)) size_ = 0;
  }
  bool decode(ByteView coded) noexcept {
    HuffmanDecoder decoder;
    char symbols[2];
    for (const std::byte byte : coded) {
      const int count = decoder.feed(std::to_integer<std::uint8_t>(byte), symbols);
      if (count < 0 || size_ + static_cast<std::size_t>(count) > text_.size()) return false;
      for (int i = 0; i < count; ++i) text_[size_++] = symbols[i];
    }
    return decoder.may_end();
  }

  std::array<char, kMost> text_;
  std::size_t size_ = 0;
};

struct Request {
  HostName host;
  bool has_authority = false;
  bool has_host = false;
  bool connects = false;
  bool has_protocol = false;
};

void note(Request& request, Name name, std::string_view value) noexcept {
  switch (name) {
    case Name::authority:
      if (!request.has_authority) request.host.assign_authority(value);
      request.has_authority = true;
      break;
    case Name::method:
      request.connects = value == "CONNECT";
      break;
    case Name::protocol:
      request.has_protocol = true;
      break;
    case Name::host:
      if (!request.has_authority && !request.has_host) request.host.assign_authority(value);
      request.has_host = true;
      break;
    case Name::pseudo:
    case Name::regular:
    case Name::seen:
      break;
  }
}

/// How long a value of that name may be to matter. Of several fields the first counts.
std::size_t most_of_value(const Request& request, Name name) noexcept {
  if (name == Name::method) return kMaxWord;
  if (name == Name::authority) return request.has_authority ? 0 : Text::kMost;
  const bool stands_in = name == Name::host && !request.has_authority && !request.has_host;
  return stands_in ? Text::kMost : 0;
}

/// One field or a change of the table's size. False: garbled.
bool read_field(PieceReader& in, Request& request, Name& name) noexcept {
  const std::uint8_t first = in.u8();
  bool bad = false;
  name = Name::seen;
  if ((first & 0x80) != 0) {
    const std::uint32_t index = read_integer(in, first, 7, bad);
    if (bad || index == 0) return false;
    name = static_name(index);
    if (in.good()) note(request, name, {});
    return true;
  }
  if ((first & 0xe0) == 0x20) {
    read_integer(in, first, 5, bad);
    return !bad;
  }
  const std::uint32_t index = read_integer(in, first, (first & 0x40) != 0 ? 6 : 4, bad);
  if (bad) return false;
  Text text;
  if (index != 0) {
    name = static_name(index);
  } else {
    if (!text.read(in, kMaxWord)) return false;
    name = literal_name(text.view());
  }
  Text value;
  if (!value.read(in, most_of_value(request, name))) return false;
  if (in.good()) note(request, name, value.view());
  return true;
}

}  // namespace

Verdict read_authority(PieceReader& block, HostName& host) noexcept {
  host.clear();
  Request request;
  for (std::size_t count = 0; count < kMaxFields && !block.at_end(); ++count) {
    Name name = Name::seen;
    if (block.good() && !read_field(block, request, name)) return Verdict::nothing;
    if (block.state() == Piece::State::bounded) return Verdict::found;
    if (!block.good())
      return block.state() == Piece::State::truncated ? Verdict::needs_more : Verdict::nothing;
    // Pseudo-header fields come first: behind them nothing changes what is known.
    if (request.has_authority && (name == Name::regular || name == Name::host)) break;
  }
  if (!request.connects || request.has_protocol) host = request.host;
  return Verdict::found;
}

}  // namespace sluice::sniff
