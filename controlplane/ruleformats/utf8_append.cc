#include "controlplane/ruleformats/utf8_append.h"

namespace sluice::ruleformats {

void append_utf8(char32_t code, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3fU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0U | (code >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0U | (code >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace sluice::ruleformats
