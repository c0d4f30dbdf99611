// protocol/credentials.h - user names and passwords of a listener, checked in constant time.
//
// Thread: plain functions; the users belong to the snapshot, which outlives the handshake.
#pragma once

#include <span>
#include <string_view>

#include "dataplane/crypto/secret.h"
#include "proto/contract/manifest.h"

namespace sluice {

/// Who may use a listener. Empty: everybody, without asking.
class Credentials {
 public:
  Credentials() noexcept = default;
  explicit Credentials(std::span<const contract::User> users) noexcept : users_(users) {}

  [[nodiscard]] bool required() const noexcept { return !users_.empty(); }
  /// Looks at every user, so that the time does not tell which names exist.
  [[nodiscard]] bool matches(std::string_view name, std::string_view password) const noexcept {
    bool found = false;
    for (const contract::User& user : users_) {
      const bool same_name = crypto::equal_secret(std::string_view(user.name), name);
      const bool same_password = crypto::equal_secret(std::string_view(user.password), password);
      found |= same_name && same_password;
    }
    return found;
  }

 private:
  std::span<const contract::User> users_;
};

}  // namespace sluice
