// helper/rule.h - one nft rule, written in the order in which the kernel evaluates it.
//
//   Rule(kTableName, "caught", "tproxy IPv4 TCP").nfproto(kFamilyV4).l4proto(IPPROTO_TCP)
//       .tproxy(kFamilyV4, port).mark_set(MarkOf::packet, marks.mask, marks.tproxy).accept();
//
// Matches come first; the first that fails ends the rule. Thread: one.
#pragma once

#include <libnftnl/rule.h>

#include <cstdint>
#include <memory>
#include <string>

#include "proto/common/address.h"
#include "proto/common/cursor.h"

struct nftnl_expr;

namespace sluice::nft {

/// A set inside the same transaction, by the id that Transaction::add_*set gave.
struct SetRef {
  std::string name;
  std::uint32_t id = 0;
};

enum class MarkOf : std::uint8_t { packet, connection };
enum class Wanted : bool { differs, equals };

class Rule {
 public:
  /// `label` is what a verdict says when the kernel refuses this rule. Static storage.
  Rule(const char* table, const char* chain, const char* label);

  // Matches.
  Rule& iifname(const std::string& device, Wanted wanted = Wanted::equals);
  Rule& oifname(const std::string& device, Wanted wanted = Wanted::equals);
  Rule& iifname_in(const SetRef& set);
  Rule& nfproto(std::uint8_t family);
  Rule& l4proto(std::uint8_t protocol);
  Rule& l4proto_in(const SetRef& set, Wanted wanted = Wanted::equals);
  Rule& destination_port(std::uint16_t port);  ///< TCP or UDP: match l4proto before
  Rule& icmp_type(std::uint8_t type);          ///< match l4proto before
  Rule& destination_in(const Prefix& prefix);  ///< matches nfproto itself
  Rule& destination_in_set(Family family, const SetRef& set);
  Rule& destination_type_in(const SetRef& set);  ///< FIB: local, broadcast ...
  Rule& mark(MarkOf of, std::uint32_t mask, std::uint32_t value, Wanted wanted = Wanted::equals);
  Rule& connection_new(Wanted wanted);
  Rule& reply_direction();
  Rule& socket_user_in(const SetRef& set);
  Rule& transparent_socket();  ///< connected and IP_TRANSPARENT

  // Statements.
  Rule& mark_set(MarkOf of, std::uint32_t mask, std::uint32_t value);
  Rule& tproxy(std::uint8_t family, std::uint16_t port);
  /// One of `ports` by a hash of source address and port: one client endpoint, one worker.
  /// `map` holds index -> port and `count` entries.
  Rule& tproxy_hashed(std::uint8_t family, const SetRef& map, std::uint32_t count);
  Rule& redirect(std::uint16_t port);  ///< 0: address only
  Rule& accept();
  Rule& drop();
  Rule& jump(const char* chain);
  Rule& go_to(const char* chain);

  [[nodiscard]] const nftnl_rule* get() const noexcept { return rule_.get(); }
  [[nodiscard]] const char* label() const noexcept { return label_; }
  /// False when memory ran out while building.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  struct Free {
    void operator()(nftnl_rule* rule) const noexcept { nftnl_rule_free(rule); }
  };
  nftnl_expr* add(const char* kind);
  Rule& load_meta(std::uint32_t key);
  Rule& load_ct(std::uint32_t key);
  Rule& load_payload(std::uint32_t base, std::uint32_t offset, std::uint32_t size,
                     std::uint32_t reg);
  Rule& compare(ByteView value, Wanted wanted = Wanted::equals);
  Rule& masked(ByteView mask, ByteView exclusive_or);
  Rule& lookup(const SetRef& set, Wanted wanted = Wanted::equals);
  Rule& immediate_port(std::uint16_t port);
  Rule& tproxy_from_register(std::uint8_t family);
  Rule& verdict(int code, const char* chain = nullptr);

  std::unique_ptr<nftnl_rule, Free> rule_;
  const char* label_;
  bool complete_ = true;
};

}  // namespace sluice::nft
