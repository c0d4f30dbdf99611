#include "ui/cli/json_writer.h"

#include <cstdio>

#include "proto/common/utf8.h"
#include "ui/cli/text_width.h"

namespace sluice::cli {

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  quote(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  quote(value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  before_value();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) {
  before_value();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

void JsonWriter::before_value() {
  if (!after_key_ && !first_) out_ += ',';
  after_key_ = false;
  first_ = false;
}

void JsonWriter::quote(std::string_view value) {
  out_ += '"';
  while (!value.empty()) {
    const std::string_view before = value;
    const char32_t c = take_code_point(value);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(c);
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out_ += escape;
    } else if (c == kReplacement) {
      out_ += kReplacementText;
    } else {
      out_ += before.substr(0, before.size() - value.size());
    }
  }
  out_ += '"';
}

}  // namespace sluice::cli
