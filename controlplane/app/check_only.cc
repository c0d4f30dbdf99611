#include "controlplane/app/check_only.h"

#include <unistd.h>

#include <string>

#include "controlplane/app/boot.h"
#include "controlplane/app/preparer.h"
#include "controlplane/manage/check_reply.h"
#include "proto/common/config_size.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/common/whole_file.h"
#include "proto/runtime/process/exit_code.h"

namespace sluice::control_plane {
namespace {

int say(const std::string& sentence) {
  SLUICE_LOG(error, "check", "%s", sentence.c_str());
  return to_int(ExitCode::failure);
}

}  // namespace

int check_only(const Options& options) {
  if (const auto problem = become_ourselves(options)) return say(*problem);
  auto text = read_whole(STDIN_FILENO, kMaxConfigBytes);
  if (!text) return say("the text cannot be read: " + describe(text.error()));
  Preparer preparer(file_places(options), sets::CacheUse::read_only);
  const Prepared found = preparer.prepare(std::move(*text), options.check);
  const Status told = write_whole(STDOUT_FILENO, manage::check_reply_bytes(found.diagnostics));
  return told ? to_int(ExitCode::ok) : say("nobody takes the verdict: " + describe(told.error()));
}

}  // namespace sluice::control_plane
