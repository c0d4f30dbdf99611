// ruleset/cache_use.h - whether what is learnt of files may be written below HOME/cache.
#pragma once

#include <cstdint>

namespace sluice::sets {

enum class CacheUse : std::uint8_t {
  read_write,
  read_only,  ///< somebody only wants to know: the home directory stays as it is
};

}  // namespace sluice::sets
