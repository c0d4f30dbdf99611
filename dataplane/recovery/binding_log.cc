#include "dataplane/recovery/binding_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/file.h"
#include "proto/common/whole_file.h"

namespace sluice::recovery {
namespace {

constexpr std::string_view kMagic = "SLBIND01";

}  // namespace

std::size_t replay_bindings(ByteView file, BindingTable& table) {
  if (!as_text(file).starts_with(kMagic)) return 0;
  ByteView rest = file.subspan(kMagic.size());
  while (!rest.empty()) {
    auto batch = take_record(rest);
    if (!batch) break;
    table.apply(std::move(*batch));
  }
  return file.size() - rest.size();
}

Result<BindingLog> BindingLog::open(const std::string& dir, BindingTable& table,
                                    std::vector<std::string>& messages) {
  BindingLog log;
  log.path_ = dir + "/bindings.log";
  std::size_t good = 0;
  {
    const auto file = MappedFile::open(log.path_);
    if (!file && file.error().code != Errc::not_found) return fail(file.error());
    const ByteView bytes = file ? file->bytes() : ByteView{};
    good = replay_bindings(bytes, table);
    if (good < bytes.size()) {
      messages.push_back("binding log: " + std::to_string(bytes.size() - good) +
                         " damaged bytes moved to " + log.path_ + ".damaged, " +
                         std::to_string(table.count()) + " bindings kept");
      // The tail alone; should that fail, the log still goes on without it.
      (void)replace_file(log.path_ + ".damaged", {bytes.subspan(good)});
    }
  }
  if (good == 0) {
    if (const Status started = log.start_anew(table.as_batch()); !started)
      return fail(started.error());
    return log;
  }
  if (const Status opened = log.reopen(); !opened) return fail(opened.error());
  if (::ftruncate(log.file_.get(), static_cast<off_t>(good)) != 0) return fail_errno(errno);
  log.size_ = good;
  log.compacted_ = good;
  return log;
}

Status BindingLog::append(const contract::BindingBatch& batch) {
  if (batch.replace) return start_anew(batch);
  if (!file_.valid()) {
    if (const Status opened = reopen(); !opened) return opened;
  }
  std::vector<std::byte> record;
  append_record(record, batch);
  if (const Status written = write_whole(file_.get(), as_text(record)); !written) {
    // A half-written record would hide every later one.
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) return fail_errno(errno);
    return written;
  }
  size_ += record.size();
  // A rewrite that fails costs only its chance: the log is whole without it.
  if (size_ > 2 * compacted_ + kCompactSlack && !compact()) compacted_ = size_;
  return {};
}

Status BindingLog::start_anew(const contract::BindingBatch& everything) {
  const ByteView magic = as_byte_view(kMagic);
  std::vector<std::byte> bytes(magic.begin(), magic.end());
  append_record(bytes, everything);
  if (const Status replaced = replace_file(path_, {bytes}); !replaced) return replaced;
  file_.reset();  // it names the file that is gone: what is appended there would be lost
  size_ = bytes.size();
  compacted_ = size_;
  return reopen();
}

Status BindingLog::reopen() {
  UniqueFd file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return fail_errno(errno);
  file_ = std::move(file);
  return {};
}

Status BindingLog::compact() {
  BindingTable table;
  {
    const auto file = MappedFile::open(path_);
    if (!file) return fail(file.error());
    // Less than everything must never replace everything.
    if (replay_bindings(file->bytes(), table) != size_) return fail(Errc::malformed);
  }
  return start_anew(table.as_batch());
}

}  // namespace sluice::recovery
