#include "controlplane/dns/server/local_answers.h"

#include <array>
#include <utility>

#include "controlplane/dns/bounds.h"
#include "proto/common/text.h"

namespace sluice::dns {
namespace {

/// Adds the chain and returns the name it ends at.
WireName add_aliases(AnswerBuilder& builder, const Question& question,
                     const std::vector<std::string>& aliases) {
  WireName owner = question.name;
  for (const std::string& alias : aliases) {
    const auto target = WireName::from_text(alias);
    if (!target) break;
    builder.add_name(owner, type::kCname, *target, kHostsTtl_s);
    owner = *target;
  }
  return owner;
}

/// Takes the first label off; empty when there is none.
std::string_view take_first(std::string_view& rest) noexcept {
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view label = rest.substr(0, dot);
  rest.remove_prefix(std::min(dot + 1, rest.size()));
  return label;
}

std::optional<IpAddress> v4_of(std::string_view labels) noexcept {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto octet = parse_number(take_first(labels), 255);
    if (!octet) return std::nullopt;
    value |= static_cast<std::uint32_t>(*octet) << (8 * i);
  }
  if (!labels.empty()) return std::nullopt;
  return IpAddress::v4(value);
}

std::optional<IpAddress> v6_of(std::string_view labels) noexcept {
  std::array<std::byte, 16> bytes{};
  for (std::size_t i = 0; i < 32; ++i) {
    const std::string_view label = take_first(labels);
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t digit = label.size() == 1 ? kDigits.find(label[0]) : std::string_view::npos;
    if (digit == std::string_view::npos) return std::nullopt;
    bytes[15 - i / 2] |= static_cast<std::byte>(digit << (i % 2 == 0 ? 0 : 4));
  }
  if (!labels.empty()) return std::nullopt;
  return IpAddress::from_bytes(bytes);
}

}  // namespace

Answer empty_answer(std::uint8_t code) {
  Answer out;
  out.rcode = code;
  return out;
}

Answer address_answer(const Question& question, const std::vector<std::string>& aliases,
                      const std::vector<IpAddress>& addresses, std::uint32_t ttl_s) {
  AnswerBuilder builder(question);
  const WireName owner = add_aliases(builder, question, aliases);
  for (const IpAddress& ip : addresses)
    if (question.type == (ip.is_v4() ? type::kA : type::kAaaa))
      builder.add_address(owner, ip, ttl_s);
  return std::move(builder).finish();
}

Answer alias_answer(const Question& question, const std::vector<std::string>& aliases,
                    const Question& last, const Answer& found) {
  AnswerBuilder builder(question);
  builder.set_rcode(found.rcode);
  add_aliases(builder, question, aliases);
  // An Answer that a builder made is always read back; if not, the chain alone is still true.
  (void)builder.add_all(last, found);
  return std::move(builder).finish();
}

Answer ptr_answer(const Question& question, std::string_view target, std::uint32_t ttl_s) {
  const auto name = WireName::from_text(target);
  if (!name) return empty_answer(rcode::kNameError);
  AnswerBuilder builder(question);
  builder.add_name(question.name, type::kPtr, *name, ttl_s);
  return std::move(builder).finish();
}

std::optional<IpAddress> address_of_ptr(std::string_view name) noexcept {
  constexpr std::string_view kV4 = ".in-addr.arpa";
  constexpr std::string_view kV6 = ".ip6.arpa";
  if (name.ends_with(kV4)) return v4_of(name.substr(0, name.size() - kV4.size()));
  if (name.ends_with(kV6)) return v6_of(name.substr(0, name.size() - kV6.size()));
  return std::nullopt;
}

}  // namespace sluice::dns
