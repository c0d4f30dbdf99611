#include "dataplane/helper/rule.h"

#include <libnftnl/expr.h>
#include <linux/netfilter/nf_tables.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <bit>
#include <cstring>

#include "dataplane/helper/netfilter_abi.h"

namespace sluice::nft {

namespace {

// The register that every match loads into: 16 bytes, the first four words of the file.
constexpr std::uint32_t kRegister = NFT_REG_1;
// Ports and hash results go behind it, where the longest hashed key (20 bytes) does not reach.
constexpr std::uint32_t kPortRegister = NFT_REG_3;

constexpr std::uint32_t kPortBytes = 2;
constexpr std::uint32_t kDestinationPortOffset = 2;  // TCP and UDP alike
constexpr std::uint32_t kSourceAddressV4 = 12;
constexpr std::uint32_t kDestinationAddressV4 = 16;
constexpr std::uint32_t kSourceAddressV6 = 8;
constexpr std::uint32_t kDestinationAddressV6 = 24;
// Any constant works: it only must not change while the table lives.
constexpr std::uint32_t kHashSeed = 0x51u;

template <class T>
ByteView bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

/// A device name as the kernel compares it: IFNAMSIZ bytes, zero padded.
std::array<char, IFNAMSIZ> padded(const std::string& device) noexcept {
  std::array<char, IFNAMSIZ> name{};
  std::memcpy(name.data(), device.data(), std::min(device.size(), name.size() - 1));
  return name;
}

/// The network mask of a prefix, in network order.
std::array<std::byte, 16> mask_bytes(const Prefix& prefix) noexcept {
  std::array<std::byte, 16> mask{};
  for (unsigned bit = 0; bit < prefix.length; ++bit)
    mask[bit / 8] |= static_cast<std::byte>(0x80U >> (bit % 8));
  return mask;
}

}  // namespace

Rule::Rule(const char* table, const char* chain, const char* label)
    : rule_(nftnl_rule_alloc()), label_(label) {
  if (!rule_) {
    complete_ = false;
    return;
  }
  nftnl_rule_set_u32(rule_.get(), NFTNL_RULE_FAMILY, kFamilyInet);
  nftnl_rule_set_str(rule_.get(), NFTNL_RULE_TABLE, table);
  nftnl_rule_set_str(rule_.get(), NFTNL_RULE_CHAIN, chain);
}

nftnl_expr* Rule::add(const char* kind) {
  if (!complete_) return nullptr;
  nftnl_expr* expression = nftnl_expr_alloc(kind);
  if (expression == nullptr) {
    complete_ = false;
    return nullptr;
  }
  nftnl_rule_add_expr(rule_.get(), expression);
  return expression;
}

Rule& Rule::load_meta(std::uint32_t key) {
  if (nftnl_expr* e = add("meta")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, key);
    nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, kRegister);
  }
  return *this;
}

Rule& Rule::load_ct(std::uint32_t key) {
  if (nftnl_expr* e = add("ct")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_CT_KEY, key);
    nftnl_expr_set_u32(e, NFTNL_EXPR_CT_DREG, kRegister);
  }
  return *this;
}

Rule& Rule::load_payload(std::uint32_t base, std::uint32_t offset, std::uint32_t size,
                         std::uint32_t reg) {
  if (nftnl_expr* e = add("payload")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, base);
    nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
    nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, size);
    nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, reg);
  }
  return *this;
}

Rule& Rule::compare(ByteView value, Wanted wanted) {
  if (nftnl_expr* e = add("cmp")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, kRegister);
    nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, wanted == Wanted::equals ? NFT_CMP_EQ : NFT_CMP_NEQ);
    nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, value.data(), static_cast<std::uint32_t>(value.size()));
  }
  return *this;
}

Rule& Rule::masked(ByteView mask, ByteView exclusive_or) {
  if (nftnl_expr* e = add("bitwise")) {
    const auto size = static_cast<std::uint32_t>(mask.size());
    nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, kRegister);
    nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, kRegister);
    nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_OP, NFT_BITWISE_BOOL);
    nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, size);
    nftnl_expr_set(e, NFTNL_EXPR_BITWISE_MASK, mask.data(), size);
    nftnl_expr_set(e, NFTNL_EXPR_BITWISE_XOR, exclusive_or.data(), size);
  }
  return *this;
}

Rule& Rule::lookup(const SetRef& set, Wanted wanted) {
  if (nftnl_expr* e = add("lookup")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, kRegister);
    nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, set.name.c_str());
    nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SET_ID, set.id);
    if (wanted == Wanted::differs) nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_FLAGS, NFT_LOOKUP_F_INV);
  }
  return *this;
}

Rule& Rule::iifname(const std::string& device, Wanted wanted) {
  return load_meta(NFT_META_IIFNAME).compare(bytes_of(padded(device)), wanted);
}

Rule& Rule::oifname(const std::string& device, Wanted wanted) {
  return load_meta(NFT_META_OIFNAME).compare(bytes_of(padded(device)), wanted);
}

Rule& Rule::iifname_in(const SetRef& set) {
  return load_meta(NFT_META_IIFNAME).lookup(set);
}

Rule& Rule::nfproto(std::uint8_t family) {
  return load_meta(NFT_META_NFPROTO).compare(bytes_of(family));
}

Rule& Rule::l4proto(std::uint8_t protocol) {
  return load_meta(NFT_META_L4PROTO).compare(bytes_of(protocol));
}

Rule& Rule::l4proto_in(const SetRef& set, Wanted wanted) {
  return load_meta(NFT_META_L4PROTO).lookup(set, wanted);
}

Rule& Rule::destination_port(std::uint16_t port) {
  const std::uint16_t wire = htons(port);
  return load_payload(NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPortOffset, kPortBytes, kRegister)
      .compare(bytes_of(wire));
}

Rule& Rule::icmp_type(std::uint8_t type) {
  return load_payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1, kRegister).compare(bytes_of(type));
}

Rule& Rule::destination_in(const Prefix& prefix) {
  const bool v4 = prefix.base.is_v4();
  const std::uint32_t size = v4 ? 4 : 16;
  nfproto(v4 ? kFamilyV4 : kFamilyV6);
  load_payload(NFT_PAYLOAD_NETWORK_HEADER, v4 ? kDestinationAddressV4 : kDestinationAddressV6, size,
               kRegister);
  if (prefix.length < size * 8) {
    const std::array<std::byte, 16> mask = mask_bytes(prefix);
    const std::array<std::byte, 16> zero{};
    masked(ByteView(mask).first(size), ByteView(zero).first(size));
  }
  return compare(prefix.base.bytes());
}

Rule& Rule::destination_in_set(Family family, const SetRef& set) {
  const bool v4 = family == Family::v4;
  return nfproto(v4 ? kFamilyV4 : kFamilyV6)
      .load_payload(NFT_PAYLOAD_NETWORK_HEADER, v4 ? kDestinationAddressV4 : kDestinationAddressV6,
                    v4 ? 4 : 16, kRegister)
      .lookup(set);
}

Rule& Rule::destination_type_in(const SetRef& set) {
  if (nftnl_expr* e = add("fib")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE);
    nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_FLAGS, NFTA_FIB_F_DADDR);
    nftnl_expr_set_u32(e, NFTNL_EXPR_FIB_DREG, kRegister);
  }
  return lookup(set);
}

Rule& Rule::mark(MarkOf of, std::uint32_t mask, std::uint32_t value, Wanted wanted) {
  const std::uint32_t zero = 0;
  if (of == MarkOf::packet) {
    load_meta(NFT_META_MARK);
  } else {
    load_ct(NFT_CT_MARK);
  }
  return masked(bytes_of(mask), bytes_of(zero)).compare(bytes_of(value), wanted);
}

Rule& Rule::connection_new(Wanted wanted) {
  const std::uint32_t zero = 0;
  // Compare with zero, so "is new" is "differs from zero".
  return load_ct(NFT_CT_STATE)
      .masked(bytes_of(kStateNew), bytes_of(zero))
      .compare(bytes_of(zero), wanted == Wanted::equals ? Wanted::differs : Wanted::equals);
}

Rule& Rule::reply_direction() {
  return load_ct(NFT_CT_DIRECTION).compare(bytes_of(kDirectionReply));
}

Rule& Rule::socket_user_in(const SetRef& set) {
  return load_meta(NFT_META_SKUID).lookup(set);
}

Rule& Rule::transparent_socket() {
  struct Question {
    std::uint32_t key;
    std::uint8_t answer;
  };
  for (const Question question :
       {Question{NFT_SOCKET_TRANSPARENT, 1}, Question{NFT_SOCKET_WILDCARD, 0}}) {
    if (nftnl_expr* e = add("socket")) {
      nftnl_expr_set_u32(e, NFTNL_EXPR_SOCKET_KEY, question.key);
      nftnl_expr_set_u32(e, NFTNL_EXPR_SOCKET_DREG, kRegister);
    }
    compare(bytes_of(question.answer));
  }
  return *this;
}

Rule& Rule::mark_set(MarkOf of, std::uint32_t mask, std::uint32_t value) {
  const std::uint32_t kept = ~mask;
  if (of == MarkOf::packet) {
    load_meta(NFT_META_MARK).masked(bytes_of(kept), bytes_of(value));
    if (nftnl_expr* e = add("meta")) {
      nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_MARK);
      nftnl_expr_set_u32(e, NFTNL_EXPR_META_SREG, kRegister);
    }
    return *this;
  }
  load_ct(NFT_CT_MARK).masked(bytes_of(kept), bytes_of(value));
  if (nftnl_expr* e = add("ct")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_CT_KEY, NFT_CT_MARK);
    nftnl_expr_set_u32(e, NFTNL_EXPR_CT_SREG, kRegister);
  }
  return *this;
}

Rule& Rule::immediate_port(std::uint16_t port) {
  const std::uint16_t wire = htons(port);
  if (nftnl_expr* e = add("immediate")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, kPortRegister);
    nftnl_expr_set(e, NFTNL_EXPR_IMM_DATA, &wire, sizeof wire);
  }
  return *this;
}

Rule& Rule::tproxy_from_register(std::uint8_t family) {
  if (nftnl_expr* e = add("tproxy")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_TPROXY_FAMILY, family);
    nftnl_expr_set_u32(e, NFTNL_EXPR_TPROXY_REG_PORT, kPortRegister);
  }
  return *this;
}

Rule& Rule::tproxy(std::uint8_t family, std::uint16_t port) {
  return immediate_port(port).tproxy_from_register(family);
}

Rule& Rule::tproxy_hashed(std::uint8_t family, const SetRef& map, std::uint32_t count) {
  const bool v4 = family == kFamilyV4;
  const std::uint32_t address = v4 ? 4 : 16;
  // Key: source address, then the source port in the next 4-byte register (its tail zeroed).
  load_payload(NFT_PAYLOAD_NETWORK_HEADER, v4 ? kSourceAddressV4 : kSourceAddressV6, address,
               NFT_REG32_00);
  load_payload(NFT_PAYLOAD_TRANSPORT_HEADER, 0, kPortBytes, NFT_REG32_00 + address / 4);
  if (nftnl_expr* e = add("hash")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_TYPE, NFT_HASH_JENKINS);
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_SREG, NFT_REG32_00);
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_LEN, address + 4);
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_MODULUS, count);
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_SEED, kHashSeed);
    nftnl_expr_set_u32(e, NFTNL_EXPR_HASH_DREG, kPortRegister);
  }
  if (nftnl_expr* e = add("lookup")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, kPortRegister);
    nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_DREG, kPortRegister);
    nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, map.name.c_str());
    nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SET_ID, map.id);
  }
  return tproxy_from_register(family);
}

Rule& Rule::redirect(std::uint16_t port) {
  if (port != 0) immediate_port(port);
  if (nftnl_expr* e = add("redir")) {
    if (port != 0) nftnl_expr_set_u32(e, NFTNL_EXPR_REDIR_REG_PROTO_MIN, kPortRegister);
  }
  return *this;
}

Rule& Rule::verdict(int code, const char* chain) {
  if (nftnl_expr* e = add("immediate")) {
    nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
    nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, static_cast<std::uint32_t>(code));
    if (chain != nullptr) nftnl_expr_set_str(e, NFTNL_EXPR_IMM_CHAIN, chain);
  }
  return *this;
}

Rule& Rule::accept() {
  return verdict(kVerdictAccept);
}
Rule& Rule::drop() {
  return verdict(kVerdictDrop);
}
Rule& Rule::jump(const char* chain) {
  return verdict(NFT_JUMP, chain);
}
Rule& Rule::go_to(const char* chain) {
  return verdict(NFT_GOTO, chain);
}

}  // namespace sluice::nft
