#include "proto/wire/memory.h"

#include <algorithm>

#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"

namespace sluice::wire {

void encode(const contract::MemoryReport& in, v1::MemoryReport* out) {
  const std::size_t count = std::min(in.size(), kMaxPools);
  for (std::size_t i = 0; i < count; ++i) {
    const contract::MemoryPool& pool = in[i];
    v1::MemoryPool* item = out->add_pools();
    item->set_name(pool.name);
    item->set_used_bytes(pool.used_bytes);
    item->set_bound_bytes(pool.bound_bytes);
    item->set_high_bytes(pool.high_bytes);
    item->set_items(pool.items);
    item->set_max_items(pool.max_items);
    item->set_when_full(to_wire(pool.when_full));
  }
}

Decoded<contract::MemoryReport> decode(const v1::MemoryReport& in) {
  Finding found;
  const Scope root(found);
  contract::MemoryReport out;
  if (root.fits(static_cast<std::size_t>(in.pools_size()), "pools", kMaxPools)) {
    for (const v1::MemoryPool& pool : in.pools()) {
      const Scope item(root, "pools", out.size());
      out.push_back({item.text(pool.name(), "name", kMaxLabel), pool.used_bytes(),
                     pool.bound_bytes(), pool.high_bytes(), pool.items(), pool.max_items(),
                     when_full_from_wire(pool.when_full())});
    }
  }
  return found.take(std::move(out));
}

}  // namespace sluice::wire
