#include "dataplane/helper/set_elements.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_tables.h>

#include <algorithm>

namespace sluice::nft {

namespace {

/// The address after the prefix's last one. False when there is none.
bool end_of(const Prefix& prefix, Element& out) noexcept {
  out = Element::of(prefix.base.bytes());
  out.interval_end = true;
  // Add one at the prefix's last network bit and carry to the left.
  for (int bit = prefix.length - 1; bit >= 0; --bit) {
    const auto place = static_cast<std::byte>(0x80U >> (static_cast<unsigned>(bit) % 8));
    std::byte& octet = out.key[static_cast<std::size_t>(bit) / 8];
    octet ^= place;
    if ((octet & place) != std::byte{0}) return true;
  }
  return false;
}

}  // namespace

Element Element::of(ByteView key) noexcept {
  Element element;
  element.size = static_cast<std::uint8_t>(std::min(key.size(), element.key.size()));
  std::ranges::copy(key.first(element.size), element.key.begin());
  return element;
}

std::size_t interval_of(const Prefix& prefix, std::array<Element, 2>& out) noexcept {
  out[0] = Element::of(prefix.base.bytes());
  return end_of(prefix, out[1]) ? 2 : 1;
}

void put_element(nlmsghdr* message, const Element& element) noexcept {
  nlattr* const whole = mnl_attr_nest_start(message, NFTA_LIST_ELEM);
  if (element.interval_end)
    mnl_attr_put_u32(message, NFTA_SET_ELEM_FLAGS, htonl(NFT_SET_ELEM_INTERVAL_END));
  nlattr* const key = mnl_attr_nest_start(message, NFTA_SET_ELEM_KEY);
  mnl_attr_put(message, NFTA_DATA_VALUE, element.size, element.key.data());
  mnl_attr_nest_end(message, key);
  if (element.has_port) {
    nlattr* const data = mnl_attr_nest_start(message, NFTA_SET_ELEM_DATA);
    mnl_attr_put_u16(message, NFTA_DATA_VALUE, htons(element.port));
    mnl_attr_nest_end(message, data);
  }
  mnl_attr_nest_end(message, whole);
}

}  // namespace sluice::nft
