// A zlib stream of a text, for files put together in tests.
#pragma once

#include <zlib.h>

#include "tests/unit/controlplane/ruleformats/recorder.h"

namespace sluice::ruleformats {

inline std::vector<std::byte> pack_zlib(ByteView plain) {
  uLongf size = compressBound(plain.size());
  std::vector<std::byte> out(size);
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(plain.data()), plain.size(), 9);
  out.resize(size);
  return out;
}

}  // namespace sluice::ruleformats
