// ruleformats/utf8_append.h - one code point behind a text, for the escapes of YAML and JSON.
#pragma once

#include <string>

namespace sluice::ruleformats {

/// `code` is no surrogate and at most U+10FFFF.
void append_utf8(char32_t code, std::string& out);

}  // namespace sluice::ruleformats
