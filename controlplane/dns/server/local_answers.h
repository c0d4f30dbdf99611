// dns/server/local_answers.h - answers that need no server: hosts, fake addresses, empty ones, PTR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/dns/message/answer.h"
#include "proto/common/address.h"

namespace sluice::dns {

/// NOERROR or NXDOMAIN without records.
[[nodiscard]] Answer empty_answer(std::uint8_t code);
/// The chain question -> aliases[0] -> aliases[1] …, then those of `addresses` that the question's
/// type asks for, at the last name.
[[nodiscard]] Answer address_answer(const Question& question,
                                    const std::vector<std::string>& aliases,
                                    const std::vector<IpAddress>& addresses, std::uint32_t ttl_s);
/// The chain of aliases, then what was found for the last one.
[[nodiscard]] Answer alias_answer(const Question& question, const std::vector<std::string>& aliases,
                                  const Question& last, const Answer& found);
[[nodiscard]] Answer ptr_answer(const Question& question, std::string_view target,
                                std::uint32_t ttl_s);

/// The address that a name below in-addr.arpa or ip6.arpa stands for (RFC 1035 section 3.5,
/// RFC 3596 section 2.5); nothing when it is not a whole one.
[[nodiscard]] std::optional<IpAddress> address_of_ptr(std::string_view name) noexcept;

}  // namespace sluice::dns
