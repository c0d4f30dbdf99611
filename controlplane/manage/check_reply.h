// manage/check_reply.h - the verdict on a configuration as bytes, for who asks without a server.
#pragma once

#include <string>
#include <vector>

#include "controlplane/model/diagnostic.h"

namespace sluice::manage {

/// A ConfigCheckReply in its wire form.
[[nodiscard]] std::string check_reply_bytes(const std::vector<model::Diagnostic>& diagnostics);

}  // namespace sluice::manage
