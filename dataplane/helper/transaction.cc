#include "dataplane/helper/transaction.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/set.h>
#include <libnftnl/table.h>
#include <libnftnl/udata.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <net/if.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "dataplane/helper/netfilter_abi.h"
#include "dataplane/helper/set_elements.h"

namespace sluice::nft {

namespace {

// libnftnl does not check the buffer it writes into; no message of ours is larger than this.
constexpr std::size_t kMessageRoom = 8U << 10U;
// A netlink attribute's size has 16 bits, and an element list is one attribute.
constexpr std::size_t kElementListBytes = 32U << 10U;
static_assert(kElementListBytes + 2 * kElementBytes < UINT16_MAX);

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
using Table = std::unique_ptr<nftnl_table, Deleter<nftnl_table_free>>;
using Chain = std::unique_ptr<nftnl_chain, Deleter<nftnl_chain_free>>;
using Set = std::unique_ptr<nftnl_set, Deleter<nftnl_set_free>>;
using Notes = std::unique_ptr<nftnl_udata_buf, Deleter<nftnl_udata_buf_free>>;

// How `nft list` learns to print keys: the byte order goes into the set's notes, which the kernel
// keeps unread.
constexpr std::uint32_t kHostOrder = 1;
constexpr std::uint32_t kNetworkOrder = 2;
bool is_host_order(KeyType type) noexcept {
  return type == KeyType::integer || type == KeyType::uid || type == KeyType::address_type ||
         type == KeyType::device;
}

constexpr std::uint16_t kCreate = NLM_F_CREATE;
constexpr std::uint16_t kAppend = NLM_F_CREATE | NLM_F_APPEND;

}  // namespace

/// Splits a list of elements into messages of one attribute each.
class ElementMessages {
 public:
  ElementMessages(Transaction& transaction, const char* table, const SetRef& set, bool remove)
      : transaction_(transaction), table_(table), set_(set), remove_(remove) {}
  ElementMessages(const ElementMessages&) = delete;
  ElementMessages& operator=(const ElementMessages&) = delete;
  ~ElementMessages() { finish(); }

  void put(const Element& element) {
    if (message_ != nullptr && message_->nlmsg_len - start_bytes_ > kElementListBytes) finish();
    if (message_ == nullptr) start();
    if (message_ == nullptr) return;
    const std::size_t behind = transaction_.room_.size() - transaction_.used_;
    if (behind < message_->nlmsg_len + kElementBytes) {
      transaction_.short_ = true;
      return;
    }
    put_element(message_, element);
  }

 private:
  void start() {
    message_ = transaction_.begin(remove_ ? NFT_MSG_DELSETELEM : NFT_MSG_NEWSETELEM, kCreate,
                                  remove_ ? "set element to remove" : "set element to add");
    if (message_ == nullptr) return;
    mnl_attr_put_strz(message_, NFTA_SET_ELEM_LIST_TABLE, table_);
    mnl_attr_put_strz(message_, NFTA_SET_ELEM_LIST_SET, set_.name.c_str());
    if (set_.id != 0) mnl_attr_put_u32(message_, NFTA_SET_ELEM_LIST_SET_ID, htonl(set_.id));
    list_ = mnl_attr_nest_start(message_, NFTA_SET_ELEM_LIST_ELEMENTS);
    start_bytes_ = message_->nlmsg_len;
  }
  void finish() noexcept {
    if (message_ == nullptr) return;
    mnl_attr_nest_end(message_, list_);
    transaction_.end(message_);
    message_ = nullptr;
  }

  Transaction& transaction_;
  const char* table_;
  const SetRef& set_;
  bool remove_;
  nlmsghdr* message_ = nullptr;
  nlattr* list_ = nullptr;
  std::size_t start_bytes_ = 0;
};

Transaction::Transaction(ByteSpan room) : room_(room) {
  labels_.push_back("batch");
  used_ = nftnl_batch_begin(reinterpret_cast<char*>(room_.data()), 0)->nlmsg_len;
}

nlmsghdr* Transaction::begin(std::uint16_t type, std::uint16_t flags, const char* label) {
  if (short_ || room_.size() - used_ < kMessageRoom) {
    short_ = true;
    return nullptr;
  }
  const auto sequence = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back(label);
  return nftnl_nlmsg_build_hdr(reinterpret_cast<char*>(room_.data() + used_), type, kFamilyInet,
                               flags, sequence);
}

void Transaction::end(const nlmsghdr* message) noexcept {
  last_ = const_cast<nlmsghdr*>(message);
  used_ += MNL_ALIGN(message->nlmsg_len);
}

void Transaction::add_table(const char* name, bool owned) {
  const Table table(nftnl_table_alloc());
  nlmsghdr* message = begin(NFT_MSG_NEWTABLE, kCreate, owned ? "owned table" : "table");
  if (!table || message == nullptr) {
    short_ = true;
    return;
  }
  nftnl_table_set_str(table.get(), NFTNL_TABLE_NAME, name);
  if (owned) nftnl_table_set_u32(table.get(), NFTNL_TABLE_FLAGS, NFT_TABLE_F_OWNER);
  nftnl_table_nlmsg_build_payload(message, table.get());
  end(message);
}

void Transaction::delete_table(const char* name) {
  nlmsghdr* message = begin(NFT_MSG_DELTABLE, 0, "table to remove");
  if (message == nullptr) return;
  mnl_attr_put_strz(message, NFTA_TABLE_NAME, name);
  end(message);
}

void Transaction::add_chain(const char* table, const char* name, Hook hook) {
  const Chain chain(nftnl_chain_alloc());
  nlmsghdr* message = begin(NFT_MSG_NEWCHAIN, kCreate, name);
  if (!chain || message == nullptr) {
    short_ = true;
    return;
  }
  nftnl_chain_set_str(chain.get(), NFTNL_CHAIN_TABLE, table);
  nftnl_chain_set_str(chain.get(), NFTNL_CHAIN_NAME, name);
  if (hook.type != nullptr) {
    nftnl_chain_set_str(chain.get(), NFTNL_CHAIN_TYPE, hook.type);
    nftnl_chain_set_u32(chain.get(), NFTNL_CHAIN_HOOKNUM, hook.number);
    nftnl_chain_set_s32(chain.get(), NFTNL_CHAIN_PRIO, hook.priority);
    nftnl_chain_set_u32(chain.get(), NFTNL_CHAIN_POLICY, kVerdictAccept);
  }
  nftnl_chain_nlmsg_build_payload(message, chain.get());
  end(message);
}

void Transaction::flush_chain(const char* table, const char* chain) {
  nlmsghdr* message = begin(NFT_MSG_DELRULE, 0, chain);
  if (message == nullptr) return;
  mnl_attr_put_strz(message, NFTA_RULE_TABLE, table);
  mnl_attr_put_strz(message, NFTA_RULE_CHAIN, chain);
  end(message);
}

SetRef Transaction::new_set(const char* table, const char* name, KeyType type,
                            std::uint32_t key_bytes, std::uint32_t flags, bool is_port_map) {
  SetRef reference{name, next_set_++};
  const Set set(nftnl_set_alloc());
  const Notes notes(nftnl_udata_buf_alloc(NFT_USERDATA_MAXLEN));
  nlmsghdr* message = begin(NFT_MSG_NEWSET, kCreate, name);
  if (!set || !notes || message == nullptr) {
    short_ = true;
    return reference;
  }
  nftnl_set_set_str(set.get(), NFTNL_SET_TABLE, table);
  nftnl_set_set_str(set.get(), NFTNL_SET_NAME, name);
  nftnl_set_set_u32(set.get(), NFTNL_SET_FAMILY, kFamilyInet);
  nftnl_set_set_u32(set.get(), NFTNL_SET_ID, reference.id);
  nftnl_set_set_u32(set.get(), NFTNL_SET_FLAGS, flags);
  nftnl_set_set_u32(set.get(), NFTNL_SET_KEY_TYPE, static_cast<std::uint32_t>(type));
  nftnl_set_set_u32(set.get(), NFTNL_SET_KEY_LEN, key_bytes);
  const std::uint32_t order = is_host_order(type) ? kHostOrder : kNetworkOrder;
  nftnl_udata_put_u32(notes.get(), NFTNL_UDATA_SET_KEYBYTEORDER, order);
  if (is_port_map) {
    nftnl_udata_put_u32(notes.get(), NFTNL_UDATA_SET_DATABYTEORDER, kNetworkOrder);
    nftnl_set_set_u32(set.get(), NFTNL_SET_DATA_TYPE, static_cast<std::uint32_t>(KeyType::port));
    nftnl_set_set_u32(set.get(), NFTNL_SET_DATA_LEN, sizeof(std::uint16_t));
  }
  nftnl_set_set_data(set.get(), NFTNL_SET_USERDATA, nftnl_udata_buf_data(notes.get()),
                     nftnl_udata_buf_len(notes.get()));
  nftnl_set_nlmsg_build_payload(message, set.get());
  end(message);
  return reference;
}

SetRef Transaction::add_prefix_set(const char* table, const char* name, Family family) {
  const bool v4 = family == Family::v4;
  return new_set(table, name, v4 ? KeyType::ipv4_address : KeyType::ipv6_address, v4 ? 4 : 16,
                 NFT_SET_INTERVAL);
}

SetRef Transaction::add_address_set(const char* table, const char* name, Family family) {
  const bool v4 = family == Family::v4;
  return new_set(table, name, v4 ? KeyType::ipv4_address : KeyType::ipv6_address, v4 ? 4 : 16, 0);
}

SetRef Transaction::add_constant_set(const char* table, KeyType type,
                                     std::span<const std::uint32_t> keys) {
  SetRef set = new_set(table, "__set%d", type, 4, NFT_SET_ANONYMOUS | NFT_SET_CONSTANT);
  ElementMessages out(*this, table, set, false);
  for (const std::uint32_t key : keys) out.put(Element::of(std::as_bytes(std::span(&key, 1))));
  return set;
}

SetRef Transaction::add_protocol_set(const char* table, std::span<const std::uint8_t> protocols) {
  SetRef set =
      new_set(table, "__set%d", KeyType::protocol, 1, NFT_SET_ANONYMOUS | NFT_SET_CONSTANT);
  ElementMessages out(*this, table, set, false);
  for (const std::uint8_t key : protocols) out.put(Element::of(std::as_bytes(std::span(&key, 1))));
  return set;
}

SetRef Transaction::add_device_set(const char* table, std::span<const std::string> names) {
  SetRef set =
      new_set(table, "__set%d", KeyType::device, IFNAMSIZ, NFT_SET_ANONYMOUS | NFT_SET_CONSTANT);
  ElementMessages out(*this, table, set, false);
  for (const std::string& name : names) {
    Element element = Element::of(as_byte_view(name));
    element.size = IFNAMSIZ;  // zero padded
    out.put(element);
  }
  return set;
}

SetRef Transaction::add_constant_prefix_set(const char* table, Family family,
                                            std::span<const Prefix> prefixes) {
  const bool v4 = family == Family::v4;
  SetRef set = new_set(table, "__set%d", v4 ? KeyType::ipv4_address : KeyType::ipv6_address,
                       v4 ? 4 : 16, NFT_SET_ANONYMOUS | NFT_SET_CONSTANT | NFT_SET_INTERVAL);
  change_prefixes(table, set, family, prefixes, false);
  return set;
}

SetRef Transaction::add_port_map(const char* table, std::span<const std::uint16_t> ports) {
  SetRef set = new_set(table, "__map%d", KeyType::integer, 4,
                       NFT_SET_ANONYMOUS | NFT_SET_CONSTANT | NFT_SET_MAP, true);
  ElementMessages out(*this, table, set, false);
  for (std::uint32_t index = 0; index < ports.size(); ++index) {
    Element element = Element::of(std::as_bytes(std::span(&index, 1)));
    element.has_port = true;
    element.port = ports[index];
    out.put(element);
  }
  return set;
}

void Transaction::change_prefixes(const char* table, const SetRef& set, Family family,
                                  std::span<const Prefix> prefixes, bool remove) {
  ElementMessages out(*this, table, set, remove);
  for (const Prefix& prefix : prefixes) {
    if (prefix.base.family() != family) continue;
    std::array<Element, 2> ends;
    const std::size_t count = interval_of(prefix, ends);
    for (std::size_t i = 0; i < count; ++i) out.put(ends[i]);
  }
}

void Transaction::change_addresses(const char* table, const SetRef& set, Family family,
                                   std::span<const Prefix> addresses, bool remove) {
  ElementMessages out(*this, table, set, remove);
  for (const Prefix& address : addresses) {
    if (address.base.family() == family) out.put(Element::of(address.base.bytes()));
  }
}

void Transaction::add_rule(const Rule& rule) {
  nlmsghdr* message = begin(NFT_MSG_NEWRULE, kAppend, rule.label());
  if (message == nullptr || !rule.complete()) {
    short_ = true;
    return;
  }
  nftnl_rule_nlmsg_build_payload(message, const_cast<nftnl_rule*>(rule.get()));
  end(message);
}

Outcome Transaction::commit(NftSocket& socket) {
  if (short_) return {ENOBUFS, "batch"};
  if (last_ != nullptr) last_->nlmsg_flags |= NLM_F_ACK;
  const nlmsghdr* tail = nftnl_batch_end(reinterpret_cast<char*>(room_.data() + used_),
                                         static_cast<std::uint32_t>(labels_.size()));
  const Answer answer = socket.exchange(ByteView(room_).first(used_ + tail->nlmsg_len));
  if (answer.error == 0) return {};
  const char* where = answer.sequence < labels_.size() ? labels_[answer.sequence] : labels_.front();
  return {answer.error, where};
}

}  // namespace sluice::nft
