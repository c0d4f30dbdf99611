// outbound/keys.h - master keys of a worker's Shadowsocks outbounds, derived once.
//
// Layers refer to their key for as long as a flow lives, which may be longer than its outbound is
// configured; so keys stay for the worker's life. They are few: one per distinct cipher and
// password. Owner: the engine. Thread: its worker.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "dataplane/protocol/shadowsocks/key.h"
#include "proto/contract/manifest.h"

namespace sluice::outbound {

class Keys {
 public:
  /// Errors: system, invalid (empty password, a cipher without key).
  Result<const shadowsocks::Key*> get(contract::Cipher cipher, const std::string& password);

 private:
  std::map<std::pair<contract::Cipher, std::string>, shadowsocks::Key> keys_;
};

}  // namespace sluice::outbound
