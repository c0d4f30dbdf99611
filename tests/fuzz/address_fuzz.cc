// Fuzz: text forms of addresses, endpoints and prefixes. What parses must print and parse again to
// the same value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proto/common/address.h"

namespace {

template <typename T>
void round_trip(std::string_view text) {
  const auto value = T::parse(text);
  if (!value) return;
  const auto again = T::parse(value->to_string());
  if (!again || !(*again == *value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  round_trip<sluice::IpAddress>(text);
  round_trip<sluice::Endpoint>(text);
  round_trip<sluice::Prefix>(text);
  return 0;
}
