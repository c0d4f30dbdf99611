// cli/json_writer.h - JSON (RFC 8259) into one string, compact, in the order of the calls.
//
//   JsonWriter w;
//   w.object([&] { w.key("rule").text("Match"); w.key("chains").array([&] { w.text("DIRECT"); });
//   });
//
// Commas are put by the writer; a key is followed by exactly one value. Bad UTF-8 becomes U+FFFD,
// so that every output parses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::cli {

class JsonWriter {
 public:
  template <class Body>
  JsonWriter& object(Body body) {
    return nest('{', '}', body);
  }
  template <class Body>
  JsonWriter& array(Body body) {
    return nest('[', ']', body);
  }
  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& boolean(bool value);

  /// An array of strings from any range of them.
  template <class Range>
  JsonWriter& texts(const Range& values) {
    return array([&] {
      for (const auto& value : values) text(value);
    });
  }

  [[nodiscard]] const std::string& str() const noexcept { return out_; }

 private:
  template <class Body>
  JsonWriter& nest(char open, char close, Body body) {
    before_value();
    out_ += open;
    first_ = true;
    body();
    out_ += close;
    first_ = false;
    return *this;
  }
  void before_value();
  void quote(std::string_view value);

  std::string out_;
  bool first_ = true;  ///< nothing stands before in this object or array
  bool after_key_ = false;
};

}  // namespace sluice::cli
