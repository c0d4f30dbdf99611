// Fuzz: bytes of Apply's manifest. What is accepted must come back unchanged from its own bytes.
#include <cstdint>
#include <cstdlib>

#include "proto/wire/manifest_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto manifest = sluice::wire::manifest_from_bytes(bytes);
  if (!manifest) {
    if (manifest.error().reason.empty()) std::abort();
    return 0;
  }
  const std::string again = sluice::wire::manifest_to_bytes(*manifest);
  const auto second = sluice::wire::manifest_from_bytes(sluice::as_byte_view(again));
  if (!second || !(*second == *manifest)) std::abort();
  return 0;
}
