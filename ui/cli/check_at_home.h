// cli/check_at_home.h - what a router would say of a configuration, while none runs.
//
//   text (memfd) ─> sluice-controlplane --check NAME --home DIR ─> ConfigCheckReply
//
// The same program that would take the configuration judges it, as the user that it runs as: two
// readings of one file cannot differ.
#pragma once

#include <string>

#include "ui/cli/client.h"

namespace sluice::cli {

/// `file` stands in the diagnostics. Fails with refused when the program is missing or fails.
[[nodiscard]] Outcome<pb::ConfigCheckReply> check_at_home(const std::string& text,
                                                          const std::string& file,
                                                          const std::string& home);
/// The same with the control plane at `program`.
[[nodiscard]] Outcome<pb::ConfigCheckReply> check_with(const std::string& program,
                                                       const std::string& text,
                                                       const std::string& file,
                                                       const std::string& home);

}  // namespace sluice::cli
