#include "dataplane/recovery/recovery.h"

#include <unistd.h>

#include "dataplane/recovery/blob_file.h"
#include "dataplane/recovery/file.h"
#include "proto/common/error_text.h"

namespace sluice::recovery {
namespace {

/// Reads and decodes one file; a damaged one is moved aside and named in `messages`.
template <class T>
std::optional<T> load_file(const std::string& path, auto decode,
                           std::vector<std::string>& messages) {
  Error error;
  {
    const auto file = MappedFile::open(path);
    if (!file) {
      if (file.error().code != Errc::not_found)
        messages.push_back(path + ": " + describe(file.error()));
      return std::nullopt;
    }
    Result<T> value = decode(file->bytes());
    if (value) return std::move(*value);
    error = value.error();
  }
  move_aside(path);
  messages.push_back(path + ": " + describe(error) + "; moved to " + path + ".damaged");
  return std::nullopt;
}

}  // namespace

Recovery load(const std::string& run_dir) {
  Recovery out;
  BindingTable table;
  auto log = BindingLog::open(run_dir, table, out.messages);
  if (log)
    out.log.emplace(std::move(*log));
  else
    out.messages.push_back(run_dir + "/bindings.log: " + describe(log.error()));
  out.bindings = table.as_batch();
  out.snapshot = load_file<Snapshot>(
      run_dir + "/snapshot", [&](ByteView file) { return decode_snapshot(file, run_dir); },
      out.messages);
  keep_only_blobs(run_dir, out.snapshot ? out.snapshot->blobs : std::vector<contract::BlobPtr>());
  auto choices = load_file<Choices>(run_dir + "/choices", &decode_choices, out.messages);
  if (out.snapshot && choices) {
    if (choices->snapshot == out.snapshot->digest)
      out.choices = std::move(choices->made);
    else if (!choices->made.empty())
      out.messages.push_back(run_dir + "/choices: belong to an older snapshot; left out");
    apply_choices(out.snapshot->manifest, out.choices);
  }
  return out;
}

void forget(const std::string& run_dir) noexcept {
  for (const char* name : {"/snapshot", "/choices", "/bindings.log"})
    ::unlink((run_dir + name).c_str());
  keep_only_blobs(run_dir, {});
}

}  // namespace sluice::recovery
