// app/prepare.h - what a configuration text becomes before it comes into force (preparer.h makes
// it), and what of it is kept while it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controlplane/app/set_sources.h"
#include "controlplane/compile/compile.h"
#include "controlplane/compile/legend.h"
#include "controlplane/dns/options.h"
#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
#include "proto/common/log.h"
#include "proto/contract/blob.h"
#include "proto/contract/manifest.h"

namespace sluice::control_plane {

/// What a running configuration needs to keep; the text is config_store's, the tree is gone.
/// Immutable once made: shared between the loop and whoever answers from it.
struct Running {
  contract::Manifest manifest;  ///< without choices and DNS ports, which are not the file's
  std::vector<contract::BlobPtr> blobs;
  compile::Legend legend;  ///< where the manifest's parts stand in the text
  std::vector<RunningSet> sets;
  dns::DnsOptions names;
  LogLevel log_level = LogLevel::info;
  bool store_selected = true;
  bool store_fake_ip = false;
  model::Statistics stats;
  std::string leases;  ///< empty: the usual places
};
using RunningPtr = std::shared_ptr<const Running>;

struct Prepared {
  std::string text;
  std::vector<model::Diagnostic> diagnostics;
  RunningPtr running;  ///< null when a diagnostic is an error
};
/// `config` is what `compiled` was made of, and came from the text called `file`.
[[nodiscard]] std::shared_ptr<Running> make_running(const model::Config& config,
                                                    compile::CompileResult compiled,
                                                    const std::string& file);

/// What would change from one text to the other, for people. Either may be bad: then nothing.
[[nodiscard]] std::vector<std::string> changes_between(const std::string& before,
                                                       const std::string& after);

/// What a reader needs to mend first: the first error and how many follow; empty without one.
[[nodiscard]] std::string first_error(const std::vector<model::Diagnostic>& diagnostics);

/// One line each, by severity.
void log_diagnostics(const std::vector<model::Diagnostic>& diagnostics);

[[nodiscard]] dns::DnsOptions dns_options(const model::Config& config);

}  // namespace sluice::control_plane
